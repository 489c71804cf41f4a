import CDirectoryStorage
import Glibc
import PhotoModel
import PluginKit

/// The trash below the served folder, or below the folder for added files if the former is
/// read-only. Its name begins with a dot, so no scan finds it.
///
/// Each item has a folder in it, named by a hash of its locator and the time. The folder holds the
/// item's files and a file `.origin` with the original path. Files are renamed one by one, the
/// photo last. After a crash each file is in one of the two places, and trashing again completes
/// the move.
struct Trash {
  static let folderName = ".photobroker-trash"
  private static let originName = ".origin"

  /// The served folder; items' paths are relative to it.
  let root: Folder
  /// The folder that contains the trash.
  let place: Folder
  /// Name of the owner's folder in the trash, if libraries of several owners may share the served
  /// folder.
  let ownFolder: String?
  /// The path of `place` below the served folder.
  let placePath: String
  /// Whether other owners' items may be in the trash. Then only a known photo is restored.
  let isOthersToo: Bool

  init(
    root: Folder, in place: Folder? = nil, at placePath: String = "", ownFolder: String? = nil,
    isOthersToo: Bool = false
  ) {
    self.root = root
    self.place = place ?? root
    self.placePath = placePath
    self.ownFolder = ownFolder
    self.isOthersToo = isOthersToo
  }

  private var path: String { [Self.folderName, ownFolder].compactMap { $0 }.joined(separator: "/") }

  /// Moves an item's files into the trash.
  /// - Parameters:
  ///   - names: all files of the item, the photo first.
  ///   - isWanted: whether a file is the wanted photo. It is checked again after the move, because
  ///     another file can take the name at any time.
  /// - Throws: `notFound` if another file has the photo's name; it stays, or is moved back.
  func put(_ names: [String], from folder: Folder, at path: RelativePath, where isWanted: (ItemFile) -> Bool)
    throws(PluginError)
  {
    guard let primary = names.first else { return }
    func isMeant(in folder: Folder) -> Bool {
      guard case .success(let facts) = folder.look(primary) else { return true }
      return isWanted(ItemFile(facts, name: primary, in: folder, at: path.folder.text, role: .original))
    }
    guard isMeant(in: folder) else { throw Self.replaced }
    let trash = try place.makeFolders(RelativePath(self.path))
    let begun = try unfinished(in: trash, path)
    let entry = if let begun { begun } else { try makeEntry(in: trash, path) }
    for name in names.dropFirst() + [primary] {
      switch directory_entry_move(folder.descriptor, name, entry.folder.descriptor, name) {
      case 0, ENOENT: break
      case EXDEV:
        throw PluginError(
          .unsupported,
          "The trash cannot take the file: it is on another file system than the library's folder. Delete it by hand.")
      case let cause: throw Folder.failure(cause, "A file cannot be moved to the trash")
      }
    }
    guard isMeant(in: entry.folder) else {
      try bringBack(entry, to: path, from: trash)
      throw Self.replaced
    }
    guard fsync(entry.folder.descriptor) == 0, fsync(folder.descriptor) == 0 else {
      throw Folder.failure(errno, "A folder cannot be written to disk")
    }
  }

  /// Restores the item that was trashed under this path.
  /// - Parameters:
  ///   - known: the wanted item of several; nil for the last one.
  ///   - trashes: the trashes to search, the current one first.
  /// - Throws: `notFound` if none of them holds the item.
  static func restore(_ path: RelativePath, known: KnownFile?, from trashes: [Trash]) throws(PluginError) {
    let best = try best(path, known, in: trashes)
    try best.trash.bringBack(best.found.entry, to: path, from: best.found.folder)
  }

  /// The path below the served folder that a trashed photo has now.
  /// - Throws: `notFound` if none of the trashes holds it.
  static func find(_ path: RelativePath, known: KnownFile, in trashes: [Trash]) throws(PluginError) -> String {
    let best = try best(path, known, in: trashes)
    return [best.trash.placePath, best.trash.path, best.found.entry.name, path.name].filter { !$0.isEmpty }
      .joined(separator: "/")
  }

  private static func best(
    _ path: RelativePath, _ known: KnownFile?, in trashes: [Trash]
  ) throws(PluginError) -> (trash: Trash, found: Found) {
    var best: (trash: Trash, found: Found)?
    for trash in trashes {
      guard let found = try trash.find(path, known),
        found.likeness > best?.found.likeness ?? (trash.isOthersToo ? 0 : .min)
      else {
        continue
      }
      best = (trash, found)
    }
    guard let best else { throw Self.absent }
    return best
  }

  private func find(_ path: RelativePath, _ known: KnownFile?) throws(PluginError) -> Found? {
    guard let folder = try place.folderIfPresent(RelativePath(self.path)) else { return nil }
    let entries = try entries(in: folder, path)
    guard let known else { return entries.last.map { Found(entry: $0, folder: folder, likeness: 0) } }
    return Self.entry(of: known, at: path, among: entries).map {
      Found(entry: $0.0, folder: folder, likeness: $0.likeness)
    }
  }

  /// Moves all files back. If one of their names is taken, all stay in the trash.
  private func bringBack(_ entry: Entry, to path: RelativePath, from trash: Folder) throws(PluginError) {
    let folder = try root.makeFolders(path.folder)
    let names = try entry.folder.names()
    guard !names.contains(where: folder.exists) else { throw Self.taken }
    for name in names.sorted(by: { a, b in b == path.name || (a != path.name && a < b) }) {
      let cause = directory_entry_move(entry.folder.descriptor, name, folder.descriptor, name)
      guard cause == 0 || cause == ENOENT else {
        guard cause != EEXIST else { throw Self.taken }
        throw Folder.failure(cause, "A file cannot be restored from the trash")
      }
    }
    guard fsync(folder.descriptor) == 0 else { throw Folder.failure(errno, "A folder cannot be written to disk") }
    unlinkat(entry.folder.descriptor, Self.originName, 0)
    unlinkat(trash.descriptor, entry.name, AT_REMOVEDIR)
  }

  // MARK: Entries

  private typealias Entry = (name: String, folder: Folder)

  private struct Found {
    var entry: Entry
    /// The trash folder that holds the entry.
    var folder: Folder
    /// See `ItemFile.likeness`; 0 for an unfinished entry, and if no known file is given.
    var likeness: Int
  }

  /// The last entry without its photo, left by an interrupted call.
  private func unfinished(in trash: Folder, _ path: RelativePath) throws(PluginError) -> Entry? {
    try entries(in: trash, path).last { !$0.folder.exists(path.name) }
  }

  /// The latest of the best entries for a known photo, else the last unfinished entry.
  private static func entry(
    of known: KnownFile, at path: RelativePath, among entries: [Entry]
  ) -> (Entry, likeness: Int)? {
    let found = entries.map { entry in
      guard case .success(let facts) = entry.folder.look(path.name) else { return (entry, likeness: nil as Int?) }
      let file = ItemFile(facts, name: path.name, in: entry.folder, at: path.folder.text, role: .original)
      return (entry, file.likeness(to: known))
    }
    // `max` returns the last of equals.
    let best = found.filter { ($0.likeness ?? 0) > 0 }.max { ($0.likeness ?? 0) < ($1.likeness ?? 0) }
    return (best ?? found.last { $0.likeness == nil }).map { ($0.0, $0.likeness ?? 0) }
  }

  private func makeEntry(in trash: Folder, _ path: RelativePath) throws(PluginError) -> Entry {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let time = UInt64(clamping: now.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: now.tv_nsec)
    let name = "\(Self.prefix(path))\(Hex.text(time))"
    let entry = try trash.makeFolder(name)
    try entry.keep(path.text, as: Self.originName)
    return (name, entry)
  }

  private func entries(in trash: Folder, _ path: RelativePath) throws(PluginError) -> [Entry] {
    var found: [Entry] = []
    for name in try trash.names().sorted() where name.hasPrefix(Self.prefix(path)) {
      guard let entry = try trash.folderIfPresent(RelativePath(name)), entry.text(of: Self.originName) == path.text
      else { continue }
      found.append((name, entry))
    }
    return found
  }

  /// FNV-1a, which finds entries without reading all of them. `.origin` decides.
  private static func prefix(_ path: RelativePath) -> String {
    let hash = path.text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return Hex.text(hash) + "-"
  }

  private static let replaced = PluginError(.notFound, "Another file has this path now. Scan the library again.")
  private static let taken = PluginError(
    .failed, "Another file has the name of a file in the trash. Move or rename it, then restore again.")
  private static let absent = PluginError(.notFound, "The trash has no such file.")
}
