import Broker
import Catalogue
import PhotoModel

/// The files and folders that scans left out, with the reasons, by folder and name. Names of a folder
/// share their beginnings, so a quarter of a million of a camera's take some 3 MiB.
struct SkippedFiles: Sendable {
  /// Most bytes of names and reasons. Further files are counted, and not named.
  static let limitBytes = 4 << 20
  /// Most files that are watched for the end of their second name.
  private static let hardLinkedLimit = 1_000

  /// The packed entries of each folder, sorted by name, in pieces.
  private var folders: [ExactText: [[UInt8]]] = [:]
  /// Most entries of a piece, which is read whole: a page of the list must not read a large folder.
  private static let pieceEntries = 256
  /// The folders' paths, sorted.
  private var order: [ExactText] = []
  private var reasons: [Reason] = []
  private var numbers: [Reason: UInt16] = [:]
  private var bytes = 0
  private var named = 0
  /// Number of skipped files without an entry.
  private var unnamed = 0
  /// Files that are refused as hard links. No event tells when the other link goes.
  private(set) var hardLinked: [String] = []

  var count: Int { named + unnamed }
  /// Whether there are files without a name.
  var isPartial: Bool { unnamed > 0 }

  func contains(_ path: String) -> Bool {
    let (folder, name) = Self.parts(path)
    guard let pieces = folders[folder] else { return false }
    return Entries(pieces[Self.piece(of: name, in: pieces)]).contains { $0.name.elementsEqual(name) }
  }

  /// The index of the piece that holds a name, or into which the name would be inserted.
  private static func piece(of name: ArraySlice<UInt8>, in pieces: [[UInt8]]) -> Int {
    let next = pieces.partitioningIndex { piece in
      name.lexicographicallyPrecedes(Entries(piece).first { _ in true }?.name ?? [])
    }
    return max(0, next - 1)
  }

  /// All files in the order of their keys, from a key on or from some before it.
  func files(from key: String? = nil) -> Files {
    guard let key else { return Files(self, 0, 0) }
    let bytes = Array(key.utf8)
    let end = bytes.firstIndex(of: Self.separator) ?? bytes.count
    let folder = ExactText(String(decoding: bytes[..<end], as: UTF8.self))
    let place = order.partitioningIndex { !Self.isLess($0, folder) }
    guard place < order.count, order[place] == folder, let pieces = folders[folder] else {
      return Files(self, place, 0)
    }
    return Files(self, place, Self.piece(of: bytes[min(end + 1, bytes.count)...], in: pieces))
  }

  struct Files: Sequence, IteratorProtocol {
    private let list: SkippedFiles
    private var folder: Int
    private var piece: Int
    private var entries = Entries([])

    fileprivate init(_ list: SkippedFiles, _ folder: Int, _ piece: Int) {
      (self.list, self.folder, self.piece) = (list, folder, piece)
    }

    mutating func next() -> IndexJob.Skipped? {
      while true {
        if let entry = entries.next() {
          let (path, name) = (list.order[folder].text, String(decoding: entry.name, as: UTF8.self))
          return IndexJob.Skipped(locator: path.isEmpty ? name : path + "/" + name, reason: list.reasons[entry.reason])
        }
        while folder < list.order.count, piece >= list.folders[list.order[folder]]?.count ?? 0 {
          (folder, piece) = (folder + 1, 0)
        }
        guard folder < list.order.count, let pieces = list.folders[list.order[folder]] else { return nil }
        entries = Entries(pieces[piece])
        piece += 1
      }
    }
  }

  /// A file's place in the order. No path has the separator, which is less than all characters of
  /// one.
  static func key(_ path: String) -> String {
    let (folder, name) = parts(path)
    return folder.text + String(Unicode.Scalar(separator)) + String(decoding: name, as: UTF8.self)
  }

  private static let separator: UInt8 = 1

  private static func parts(_ path: String) -> (folder: ExactText, name: ArraySlice<UInt8>) {
    let bytes = Array(path.utf8)
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return (ExactText(""), bytes[...]) }
    return (ExactText(String(decoding: bytes[..<slash], as: UTF8.self)), bytes[(slash + 1)...])
  }

  private static func isLess(_ a: ExactText, _ b: ExactText) -> Bool {
    a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
  }

  // MARK: Packing

  private typealias Entry = (name: [UInt8], reason: Int)

  private func entries(of folder: ExactText) -> [Entry] { (folders[folder] ?? []).flatMap { Entries($0) } }

  /// Reads packed entries: the length of the beginning that the name shares with the one before, the
  /// length of the rest, the reason, and the rest.
  fileprivate struct Entries: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private var place = 0
    private var name: [UInt8] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() -> (name: [UInt8], reason: Int)? {
      guard place + 5 <= bytes.count else { return nil }
      let (shared, length) = (Int(bytes[place]), Int(bytes[place + 1]) | Int(bytes[place + 2]) << 8)
      let reason = Int(bytes[place + 3]) | Int(bytes[place + 4]) << 8
      name = Array(name.prefix(shared) + bytes[(place + 5)...].prefix(length))
      place += 5 + length
      return (name, reason)
    }
  }

  /// Replaces a folder's entries.
  /// - Returns: The number of entries for which there was no room.
  private mutating func put(_ entries: [Entry], in folder: ExactText) -> Int {
    let overhead = Self.folderBytes + folder.text.utf8.count
    if let former = folders.removeValue(forKey: folder) {
      bytes -= former.reduce(overhead) { $0 + $1.count + Self.pieceBytes }
      named -= former.reduce(0) { Entries($1).reduce($0) { count, _ in count + 1 } }
    }
    var pieces: [[UInt8]] = []
    var (before, count, size) = ([UInt8](), 0, overhead)
    for (name, reason) in entries.sorted(by: { $0.name.lexicographicallyPrecedes($1.name) }) {
      let isFirst = count % Self.pieceEntries == 0
      let shared = isFirst ? 0 : zip(before.prefix(255), name).prefix { $0 == $1 }.count
      let rest = name.dropFirst(shared).prefix(Int(UInt16.max))
      size += 5 + rest.count + (isFirst ? Self.pieceBytes : 0)
      guard bytes + size <= Self.limitBytes else {
        size -= 5 + rest.count + (isFirst ? Self.pieceBytes : 0)
        break
      }
      if isFirst { pieces.append([]) }
      let numbers: [UInt8] = [rest.count, reason].flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8 & 0xff)] }
      pieces[pieces.count - 1] += [UInt8(shared)] + numbers + Array(rest)
      (before, count) = (name, count + 1)
    }
    if count > 0 {
      folders[folder] = pieces
      bytes += size
      named += count
    }
    return entries.count - count
  }

  /// Estimated bytes of a folder, of a piece and of a reason, beside their texts.
  private static let folderBytes = 160
  private static let pieceBytes = 48
  private static let reasonBytes = 400

  private mutating func number(of reason: Reason) -> Int? {
    if let known = numbers[reason] { return Int(known) }
    let size = Self.reasonBytes + reason.text.utf8.count
    guard reasons.count < Int(UInt16.max), bytes + size <= Self.limitBytes else { return nil }
    bytes += size
    numbers[reason] = UInt16(reasons.count)
    reasons.append(reason)
    return reasons.count - 1
  }

  // MARK: A scan's results

  /// The files that one scan leaves out.
  struct Found: Sendable {
    private(set) var files: [ExactText: [(name: ArraySlice<UInt8>, reason: Reason)]] = [:]
    private(set) var unnamed = 0
    private(set) var reasons: [String: Int] = [:]

    /// - Parameter path: Nil: the file's name is not known, or not told.
    mutating func add(_ path: String?, _ reason: Reason, count: Int = 1) {
      guard count > 0 else { return }
      reasons[reason.text, default: 0] += count
      guard let path else {
        unnamed += count
        return
      }
      let (folder, name) = SkippedFiles.parts(path)
      files[folder, default: []].append((name, reason))
    }
  }

  /// Replaces the entries of the scanned folders by a scan's result. Until the next full scan, the
  /// number of files without an entry can only grow.
  /// - Parameter scanned: The scanned folders; nil: all.
  /// - Returns: The new list, and whether a file is newly skipped.
  func merging(_ found: Found, in scanned: [StorageFolder]?) -> (files: SkippedFiles, hasNew: Bool) {
    var merged = SkippedFiles()
    if let scanned {
      merged = self
      merged.remove(scanned)
    }
    var left = found.unnamed
    for (folder, files) in found.files.sorted(by: { Self.isLess($0.key, $1.key) }) {
      var entries = scanned == nil ? [] : merged.entries(of: folder)
      for file in files {
        if let number = merged.number(of: file.reason) {
          entries.append((Array(file.name), number))
        } else {
          left += 1
        }
      }
      left += merged.put(entries, in: folder)
    }
    merged.unnamed = max(merged.unnamed, left)
    merged.order = merged.folders.keys.sorted(by: Self.isLess)
    merged.hardLinked = merged.hardLinkedFiles
    return (merged, merged.count > count || found.files.contains { hasNew($0.value, in: $0.key) })
  }

  private func hasNew(_ files: [(name: ArraySlice<UInt8>, reason: Reason)], in folder: ExactText) -> Bool {
    let known = Dictionary(entries(of: folder).map { ($0.name, reasons[$0.reason]) }) { first, _ in first }
    return files.contains { known[Array($0.name)] != $0.reason }
  }

  private mutating func remove(_ scanned: [StorageFolder]) {
    let places = Set(scanned.lazy.filter { !$0.isDeep }.map { ExactText($0.path) })
    let deep = scanned.filter(\.isDeep)
    for folder in Array(folders.keys)
    where places.contains(folder) || deep.contains(where: { $0.contains(folder.text) }) {
      _ = put([], in: folder)
    }
    // The folder itself may have been left out.
    for place in deep where contains(place.path) {
      let (folder, name) = Self.parts(place.path)
      _ = put(entries(of: folder).filter { !$0.name.elementsEqual(name) }, in: folder)
    }
  }

  private var hardLinkedFiles: [String] {
    guard reasons.contains(where: { $0.code == .fileHardLinked }) else { return [] }
    return Array(files().lazy.filter { $0.reason.code == .fileHardLinked }.prefix(Self.hardLinkedLimit).map(\.locator))
  }
}
