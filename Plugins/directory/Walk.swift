import CDirectoryStorage
import Glibc
import PhotoModel
import PluginKit

/// One look at everything below a folder.
final class Walk {
  /// Folders inside folders that are followed.
  static let depthLimit = 64

  private(set) var items: [StorageItem] = []
  /// Files and folders that could not be read, and names that are no text.
  private(set) var skipped = 0
  private let oneFileSystem: Bool

  init(oneFileSystem: Bool) { self.oneFileSystem = oneFileSystem }

  func look(_ root: Folder) throws(PluginError) {
    guard let facts = root.look(".") else { throw Folder.failure(errno, "The folder cannot be read") }
    try look(root, below: "", device: facts.device, depth: 0)
  }

  private func look(_ folder: Folder, below path: String, device: UInt64, depth: Int) throws(PluginError) {
    var files: [(String, directory_entry_facts)] = []
    var folders: [String] = []
    try folder.eachName { name in
      guard let name, !name.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f }) else {
        skipped += 1
        return
      }
      guard let facts = folder.look(name) else {
        skipped += 1
        return
      }
      switch facts.mode & UInt32(S_IFMT) {
      case UInt32(S_IFREG): if FileKind(name) != .other { files.append((name, facts)) }
      case UInt32(S_IFDIR): if !oneFileSystem || facts.device == device { folders.append(name) }
      default: break
      }
    }
    for item in Grouping.items(files) {
      func file(_ name: String, _ facts: directory_entry_facts, _ role: ResourceRole) -> ItemFile {
        ItemFile(facts, name: name, locator: path + name, role: role)
      }
      items.append(
        StorageItem(
          primary: file(item.primary, item.file, .original), others: item.others.map { file($0.name, $0.file, $0.role) }))
    }
    guard depth < Self.depthLimit else {
      skipped += folders.count
      return
    }
    for name in folders.sorted() {
      do { try look(folder.folder(name), below: "\(path)\(name)/", device: device, depth: depth + 1) } catch {
        // A folder that cannot be read is left out; a disk that is gone is not.
        if error.code == .offline, folder.look(".") == nil { throw error }
        skipped += 1
      }
    }
  }
}
