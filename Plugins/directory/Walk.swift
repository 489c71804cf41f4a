import CDirectoryStorage
import Glibc
import PhotoModel
import PluginKit

/// One look at everything below a folder.
final class Walk {
  /// Folders inside folders that are followed.
  static let depthLimit = 64
  /// The broker takes no longer path, in bytes.
  static let pathLimitBytes = 4_096

  private(set) var items: [StorageItem] = []
  /// Files and folders that could not be read, and names that are no text.
  private(set) var skipped = 0
  private let settings: WalkSettings

  init(_ settings: WalkSettings) { self.settings = settings }

  /// - Throws: `offline` where the disk fails on the way: half a list would look like deleted photos.
  func look(_ root: Folder) throws(PluginError) {
    switch root.look(".") {
    case .success(let facts): try look(root, path: "", device: facts.device, depth: 0)
    case .failure(let failure): throw Folder.failure(failure.number, "The folder cannot be read", whole: true)
    }
  }

  private func look(_ folder: Folder, path: String, device: UInt64, depth: Int) throws(PluginError) {
    var files: [(String, directory_entry_facts)] = []
    var folders: [String] = []
    try folder.eachName { name in
      guard let name, !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }),
        path.utf8.count + 1 + name.utf8.count <= Self.pathLimitBytes
      else { return skipped += 1 }
      guard !settings.ignores(name) else { return }
      switch folder.look(name) {
      case .success(let facts):
        switch facts.mode & UInt32(S_IFMT) {
        case UInt32(S_IFREG): if FileKind(name) != .other { files.append((name, facts)) }
        case UInt32(S_IFDIR): if !settings.oneFileSystem || facts.device == device { folders.append(name) }
        default: break
        }
      case .failure(let failure): if !failure.isAbsence { skipped += 1 }
      }
    }
    for item in FileGrouping.items(files) {
      items.append(
        StorageItem(
          primary: ItemFile(item.file, name: item.name, folder: path, role: .original),
          others: item.others.map { ItemFile($0.file, name: $0.name, folder: path, role: $0.role) }))
    }
    guard depth < Self.depthLimit else { return skipped += folders.count }
    for name in folders.sorted() {
      do throws(PluginError) {
        guard let child = try folder.child(name) else { continue }
        try look(child, path: path.isEmpty ? name : "\(path)/\(name)", device: device, depth: depth + 1)
      } catch {
        // A folder that may not be read is left out; a disk that fails ends the walk.
        guard error.code == .readOnly else { throw error }
        skipped += 1
      }
    }
  }
}
