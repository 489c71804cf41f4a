import CDirectoryStorage
import Glibc
import PhotoModel
import PluginKit

/// Where trashed files wait, below the served folder or, where that may not be written to, below
/// the one that added files go to; its name begins with a dot, so that no walk finds it.
///
/// Each item has a folder in it, named by a hash of its locator and the time: its files under their
/// own names, and a file `.origin` that says which folder they came from. Files move one by one,
/// the photo last, and each move is a rename, so a crash leaves every file in exactly one of the
/// two places; trashing again finishes what was begun.
struct Trash {
  static let folderName = ".photobroker-trash"
  private static let originName = ".origin"

  /// The served folder, which items' paths begin at.
  let root: Folder
  /// The one that has the trash in it.
  let place: Folder
  /// The folder of its own in there, where several owners' libraries may have the served folder in common.
  let ownFolder: String?
  /// Whether others' items may lie there: only a photo that is known is brought back.
  let isOthersToo: Bool

  init(root: Folder, in place: Folder? = nil, ownFolder: String? = nil, isOthersToo: Bool = false) {
    self.root = root
    self.place = place ?? root
    self.ownFolder = ownFolder
    self.isOthersToo = isOthersToo
  }

  /// Where the entries are.
  private var path: String { [Self.folderName, ownFolder].compactMap { $0 }.joined(separator: "/") }

  /// - Parameters:
  ///   - names: Every file of the item, the photo itself first.
  ///   - isWanted: Whether a file is the photo that is meant. It is asked once more of what was
  ///     moved: a name can be given to another file at any time.
  /// - Throws: `notFound` where another file has the photo's name; it stays, or is brought back.
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
          "The file is on another file system than the library's folder, so it cannot be moved into its trash.")
      case let cause: throw Folder.failure(cause, "A file cannot be moved into the trash")
      }
    }
    guard isMeant(in: entry.folder) else {
      try bringBack(entry, to: path, from: trash)
      throw Self.replaced
    }
    guard fsync(entry.folder.descriptor) == 0, fsync(folder.descriptor) == 0 else {
      throw Folder.failure(errno, "A folder cannot be saved")
    }
  }

  /// Brings back what was trashed under this path.
  /// - Parameters:
  ///   - known: Which of several it is; nil: the last one.
  ///   - trashes: Where it may be, what is nearest to where it would be trashed now first.
  /// - Throws: `notFound` where none of them has that one.
  static func restore(_ path: RelativePath, known: KnownFile?, from trashes: [Trash]) throws(PluginError) {
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
    try best.trash.bringBack(best.found.entry, to: path, from: best.found.folder)
  }

  /// The entry of a path that is meant, if any, and how surely it is the one.
  private func find(_ path: RelativePath, _ known: KnownFile?) throws(PluginError) -> Found? {
    guard let folder = try place.folderIfPresent(RelativePath(self.path)) else { return nil }
    let entries = try entries(in: folder, path)
    guard let known else { return entries.last.map { Found(entry: $0, folder: folder, likeness: 0) } }
    return Self.entry(of: known, at: path, among: entries).map {
      Found(entry: $0.0, folder: folder, likeness: $0.likeness)
    }
  }

  /// Where one of the names is taken now, all get the same suffix.
  private func bringBack(_ entry: Entry, to path: RelativePath, from trash: Folder) throws(PluginError) {
    let folder = try root.makeFolders(path.folder)
    let names = try entry.folder.names()
    let suffix = Self.freeSuffix(for: names, in: folder)
    for name in names.sorted(by: { a, b in b == path.name || (a != path.name && a < b) }) {
      let cause = directory_entry_move(entry.folder.descriptor, name, folder.descriptor, Self.name(name, suffix))
      guard cause == 0 || cause == ENOENT else {
        throw Folder.failure(cause, "A file cannot be brought back from the trash")
      }
    }
    guard fsync(folder.descriptor) == 0 else { throw Folder.failure(errno, "A folder cannot be saved") }
    unlinkat(entry.folder.descriptor, Self.originName, 0)
    unlinkat(trash.descriptor, entry.name, AT_REMOVEDIR)
  }

  // MARK: Entries

  private typealias Entry = (name: String, folder: Folder)

  private struct Found {
    var entry: Entry
    /// The trash's own one, which has the entry in it.
    var folder: Folder
    /// See `ItemFile.likeness`; 0 for one that waits for its photo, and where nothing is known.
    var likeness: Int
  }

  /// An entry without its photo: trashing was cut off before its end.
  private func unfinished(in trash: Folder, _ path: RelativePath) throws(PluginError) -> Entry? {
    try entries(in: trash, path).last { !$0.folder.exists(path.name) }
  }

  /// The one that has a known photo, the latest where several could be it; where none has it, one
  /// that waits for its photo, whose trashing was cut off.
  private static func entry(
    of known: KnownFile, at path: RelativePath, among entries: [Entry]
  ) -> (Entry, likeness: Int)? {
    let found = entries.map { entry in
      guard case .success(let facts) = entry.folder.look(path.name) else { return (entry, likeness: nil as Int?) }
      let file = ItemFile(facts, name: path.name, in: entry.folder, at: path.folder.text, role: .original)
      return (entry, file.likeness(to: known))
    }
    // Of equals `max` gives the last.
    let best = found.filter { ($0.likeness ?? 0) > 0 }.max { ($0.likeness ?? 0) < ($1.likeness ?? 0) }
    return (best ?? found.last { $0.likeness == nil }).map { ($0.0, $0.likeness ?? 0) }
  }

  private func makeEntry(in trash: Folder, _ path: RelativePath) throws(PluginError) -> Entry {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let time = UInt64(clamping: now.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: now.tv_nsec)
    let name = "\(Self.prefix(path))\(Self.hexadecimal(time))"
    let entry = try trash.makeFolder(name)
    try entry.keep(path.text, as: Self.originName)
    return (name, entry)
  }

  /// The entries of one path, oldest first.
  private func entries(in trash: Folder, _ path: RelativePath) throws(PluginError) -> [Entry] {
    var found: [Entry] = []
    for name in try trash.names().sorted() where name.hasPrefix(Self.prefix(path)) {
      guard let entry = try trash.folderIfPresent(RelativePath(name)), entry.text(of: Self.originName) == path.text
      else { continue }
      found.append((name, entry))
    }
    return found
  }

  /// FNV-1a, only to find entries without reading all of them; `.origin` decides.
  private static func prefix(_ path: RelativePath) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in path.text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return hexadecimal(hash) + "-"
  }

  private static func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  // MARK: Names

  private static func freeSuffix(for names: [String], in folder: Folder) -> String {
    var suffix = ""
    var number = 0
    while names.contains(where: { folder.exists(name($0, suffix)) }), number < 1_000 {
      number += 1
      suffix = "-\(number)"
    }
    return suffix
  }

  /// `IMG_1.JPG.xmp` becomes `IMG_1-1.JPG.xmp`: the suffix goes before the first ending, so that a group stays one.
  private static func name(_ name: String, _ suffix: String) -> String {
    guard !suffix.isEmpty else { return name }
    let stem =
      FileKind(name) == .sidecar && FileKind(String(name.dropLast(4))) != .other ? String(name.dropLast(4)) : name
    let end = stem.lastIndex(of: ".") ?? stem.endIndex
    return String(name[..<end]) + suffix + String(name[end...])
  }

  private static let replaced = PluginError(.notFound, "Another file is in its place.")
  private static let absent = PluginError(.notFound, "Nothing of that name is in the trash.")
}
