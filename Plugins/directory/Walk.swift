import CDirectoryStorage
import Glibc
import PhotoModel
import PluginKit

/// One scan of a folder and everything below it.
final class Walk {
  /// Maximum depth of folders.
  static let depthLimit = 64
  /// The broker's limit for a locator.
  static let pathLimitBytes = 4_096

  private(set) var items: [StorageItem] = []
  /// Files and folders that are no items, though they may be or hold photos.
  private(set) var leftOut: [LeftOutFile] = []
  /// The file systems found, that of the served folder first.
  private(set) var volumes: [StorageVolume] = []
  /// Folders that could not be read completely, or are on an excluded file system. Assets in them
  /// are missing, not deleted.
  private var unreadablePaths: Set<ExactText> = []
  private let settings: WalkSettings

  init(_ settings: WalkSettings) { self.settings = settings }

  var unreadable: [String] {
    unreadablePaths.count <= StorageFolder.listLimit ? unreadablePaths.map(\.text).sorted() : [""]
  }

  /// - Parameter folders: the folders to scan; nil for everything.
  /// - Throws: `offline` if the disk fails: half a list would look like deleted photos.
  func look(_ root: Folder, only folders: [StorageFolder]? = nil) throws(PluginError) {
    let device: UInt64
    switch root.look(".") {
    case .success(let facts): device = facts.device
    case .failure(let failure): throw Folder.failure(failure.number, "The folder cannot be read", whole: true)
    }
    volumes.append(StorageVolume(path: "", identity: try root.volumeIdentity()))
    for folder in StorageFolder.reduced(folders ?? [StorageFolder(path: "", isDeep: true)]) {
      let path = try RelativePath(folder.path)
      guard !path.components.contains(where: settings.ignores),
        path.components.count <= Self.depthLimit,
        let (found, device) = try descend(root, path, device)
      else { continue }
      try look(found, path: path.text, device: device, depth: path.components.count, isDeep: folder.isDeep)
    }
  }

  /// Opens the folder at a path below the root; nil if it is absent or not scanned.
  private func descend(_ root: Folder, _ path: RelativePath, _ device: UInt64) throws(PluginError) -> (Folder, UInt64)?
  {
    var current = root
    var device = device
    var place = ""
    for name in path.components {
      place += place.isEmpty ? name : "/\(name)"
      switch current.look(name) {
      case .success(let facts):
        guard isWanted(facts, place, device) else { return nil }
        guard let next = try enter(current, name, place, facts.device == device) else { return nil }
        device = facts.device
        current = next
      case .failure(let failure):
        if !failure.isAbsence { leaveOut(place) }
        return nil
      }
    }
    return (current, device)
  }

  /// Opens a subfolder; nil if it is gone or unreadable.
  private func enter(_ folder: Folder, _ name: String, _ path: String, _ isSameVolume: Bool) throws(PluginError)
    -> Folder?
  {
    do throws(PluginError) {
      guard let child = try folder.child(name) else { return nil }
      if !isSameVolume { volumes.append(StorageVolume(path: path, identity: try child.volumeIdentity())) }
      return child
    } catch {
      // An unreadable folder is skipped; a failing disk ends the scan.
      guard error.code == .readOnly else { throw error }
      leaveOut(path)
      return nil
    }
  }

  /// Notes an unreadable folder.
  /// - Parameter entry: the entry that cannot be read; nil: the folder itself.
  private func leaveOut(_ path: String, entry: String? = nil) {
    leftOut.append(LeftOutFile(path: entry ?? path, cause: .unreadable))
    unreadablePaths.insert(ExactText(path))
  }

  /// Whether a folder's file system is scanned.
  private func isWanted(_ facts: directory_entry_facts, _ path: String, _ device: UInt64) -> Bool {
    guard settings.oneFileSystem, facts.device != device else { return true }
    leftOut.append(LeftOutFile(path: path, cause: .fileSystem))
    unreadablePaths.insert(ExactText(path))
    return false
  }

  private static func join(_ path: String, _ name: String) -> String { path.isEmpty ? name : "\(path)/\(name)" }

  /// Notes an entry whose name cannot be a locator, if it may be or hold a photo.
  private func leaveOut(unusable bytes: UnsafePointer<CChar>, in folder: Folder, _ path: String) {
    let raw = UnsafeRawBufferPointer(start: bytes, count: strlen(bytes))
    let text = String(decoding: raw, as: UTF8.self)
    guard !settings.ignores(text), case .success(let facts) = folder.look(bytes) else { return }
    let kind = facts.mode & UInt32(S_IFMT)
    guard kind == UInt32(S_IFDIR) || kind == UInt32(S_IFLNK) || FileKind(text) != .other else { return }
    leftOut.append(LeftOutFile(path: Self.join(path, LeftOutFile.escaped(raw)), cause: .name))
  }

  private func leaveOutBackups(of files: inout [(String, directory_entry_facts)], _ path: String) {
    let names = Set(files.map { ExactText($0.0) })
    files.removeAll { name, _ in
      guard FileKind.isBackup(name, beside: names) else { return false }
      leftOut.append(LeftOutFile(path: Self.join(path, name), cause: .backup))
      return true
    }
  }

  private func look(_ folder: Folder, path: String, device: UInt64, depth: Int, isDeep: Bool) throws(PluginError) {
    var files: [(String, directory_entry_facts)] = []
    var folders: [(name: String, device: UInt64)] = []
    let reading = Result { () throws(PluginError) in
      try folder.eachEntry { name, bytes, _ in
        guard let name, !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }),
          path.utf8.count + 1 + name.utf8.count <= Self.pathLimitBytes
        else { return leaveOut(unusable: bytes, in: folder, path) }
        guard !settings.ignores(name) else { return }
        let place = Self.join(path, name)
        switch folder.look(name) {
        case .success(let facts):
          switch facts.mode & UInt32(S_IFMT) {
          case UInt32(S_IFREG):
            if FileKind(name) != .other || folder.kind(of: name) != .other { files.append((name, facts)) }
          case UInt32(S_IFDIR): if isWanted(facts, place, device) { folders.append((name, facts.device)) }
          case UInt32(S_IFLNK): leftOut.append(LeftOutFile(path: place, cause: .link))
          default: if FileKind(name) != .other { leftOut.append(LeftOutFile(path: place, cause: .kind)) }
          }
        case .failure(let failure): if !failure.isAbsence { leaveOut(path, entry: place) }
        }
      }
    }
    if case .failure(let error) = reading {
      guard error.code == .readOnly, depth > 0 else { throw error }
      leaveOut(path)
    }
    leaveOutBackups(of: &files, path)
    for item in FileGrouping.items(files, content: folder.kind) {
      items.append(
        StorageItem(
          primary: ItemFile(item.file, name: item.name, in: folder, at: path, role: .original),
          others: item.others.map { ItemFile($0.file, name: $0.name, in: folder, at: path, role: $0.role) }))
    }
    guard isDeep else { return }
    guard depth < Self.depthLimit else {
      leftOut += folders.map { LeftOutFile(path: Self.join(path, $0.name), cause: .depth) }
      return
    }
    for (name, childDevice) in folders.sorted(by: { $0.name < $1.name }) {
      let place = Self.join(path, name)
      guard let child = try enter(folder, name, place, childDevice == device) else { continue }
      try look(child, path: place, device: childDevice, depth: depth + 1, isDeep: true)
    }
  }
}
