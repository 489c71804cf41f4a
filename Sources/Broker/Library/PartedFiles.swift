import Catalogue
import PhotoModel

/// Files that left assets which are hidden or never shared, and are nowhere or not looked into yet: the asset that one turns up in has
/// these marks (R13), whichever of its two places a look comes to first, and how many looks there are between.
struct PartedFiles {
  /// What of them is kept when the look that found them gone is over: the latest.
  static let limit = 1_024

  struct File {
    /// Which it left.
    let asset: AssetNumber
    /// As they were then.
    let marks: AssetFlags
    let filename: String
    /// Bytes.
    let size: Int64
    /// What stays with it when it moves; nil: the storage has none.
    let hint: String?
    /// Which says which bytes they are; nil: the storage tells no such one.
    let hash: String?
    /// SHA-256 of the bytes, and as in ``ResourceRecord/endsDigest``; nil where it was not worked out.
    let digest: [UInt8]?
    let endsDigest: [UInt8]?
  }

  private enum Key: Hashable {
    case hint(ExactText)
    case hash(ExactText, Int64)
    case digest([UInt8], Int64)
    case endsDigest([UInt8], Int64)
    case name(ExactText, Int64)
  }

  private var files: [File] = []
  private var indices: [Key: [Int]] = [:]
  /// Those that were found in an asset since. Other links to them may be found by the same look.
  private var claimed: Set<Int> = []
  /// The first of those that the look that is under way found gone.
  private var first = 0

  init() {}

  /// Those that are to be kept, in the order in which they left.
  private var lasting: [File] {
    var latest: [File] = []
    for index in files.indices.reversed() where latest.count < Self.limit && !claimed.contains(index) { latest.append(files[index]) }
    return latest.reversed()
  }

  var isEmpty: Bool { files.isEmpty }

  mutating func note(_ file: ResourceRecord, of asset: AssetRow) {
    note(File(file, asset: asset.number, marks: asset.flags.intersection(.withheld)))
  }

  private mutating func note(_ file: File) {
    for key in Self.keys(file) { indices[key, default: []].append(files.count) }
    files.append(file)
  }

  /// Which entries may be of a file, by their numbers. Those that surely are come alone: there may be files of the same bytes.
  func find(_ file: ResourceRecord) -> [Int] {
    let sought = File(file, asset: AssetNumber(0), marks: [])
    if let hint = sought.hint, let certain = indices[.hint(ExactText(hint))] { return certain }
    return Set(Self.keys(sought).flatMap { indices[$0] ?? [] }).filter { isSame($0, sought) }.sorted()
  }

  subscript(entry: Int) -> File { files[entry] }

  /// A name and a size are no proof: they count where there is nothing better to know the file by, at once or for lack of hints.
  private func isSame(_ index: Int, _ sought: File) -> Bool {
    let file = files[index]
    guard file.size == sought.size else { return false }
    if let hash = file.hash, let other = sought.hash { return ExactText(hash) == ExactText(other) }
    if let digest = file.digest, let other = sought.digest { return digest == other }
    if let digest = file.endsDigest, let other = sought.endsDigest { return digest == other }
    return ExactText(file.filename) == ExactText(sought.filename) && (index >= first || file.hint == nil || sought.hint == nil)
  }

  private static func keys(_ file: File) -> [Key] {
    [
      file.hint.map { .hint(ExactText($0)) }, file.hash.map { .hash(ExactText($0), file.size) },
      file.digest.map { .digest($0, file.size) }, file.endsDigest.map { .endsDigest($0, file.size) },
      .name(ExactText(file.filename), file.size),
    ].compactMap { $0 }
  }

  /// They are in an asset that has the marks.
  mutating func claim(_ entries: [Int]) { claimed.formUnion(entries) }

  mutating func add(_ others: PartedFiles) { for file in others.lasting { note(file) } }

  mutating func endLook() {
    guard first < files.count || !claimed.isEmpty else { return }
    let lasting = lasting
    self = PartedFiles()
    for file in lasting { note(file) }
    first = files.count
  }

  // MARK: As it is kept

  /// From what was kept; a damaged line is passed over.
  init(_ text: String) {
    for line in text.split(separator: "\n") { if let file = File(line) { note(file) } }
    first = files.count
  }

  /// With what left since, and without what was found.
  func text(adding others: PartedFiles, without entries: [Int]) -> String {
    var left = self
    left.claim(entries)
    return (left.lasting + others.lasting).suffix(Self.limit).map(\.text).joined(separator: "\n")
  }
}

extension PartedFiles.File {
  init(_ file: ResourceRecord, asset: AssetNumber, marks: AssetFlags) {
    self.init(
      asset: asset, marks: marks, filename: file.filename, size: file.size, hint: file.identityHint,
      hash: ItemFile.isHash(file.contentVersion) ? file.contentVersion : nil, digest: file.digest, endsDigest: file.endsDigest)
  }

  /// Asset, marks, size, name, hint, hash and digests with tabs between; but for numbers in hexadecimal, and `-` for none.
  fileprivate var text: String {
    let texts = [filename, hint, hash].map { $0.map { Addition.hexadecimal($0.utf8) } ?? "-" }
    let digests = [digest, endsDigest].map { $0.map { Addition.hexadecimal($0) } ?? "-" }
    return ([String(asset.rawValue), String(marks.rawValue), String(size)] + texts + digests).joined(separator: "\t")
  }

  fileprivate init?(_ line: some StringProtocol) {
    let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
    guard parts.count == 8, let asset = UInt32(parts[0]), let marks = UInt8(parts[1]), let size = Int64(parts[2]),
      let filename = Addition.text(parts[3])
    else { return nil }
    func optional<Value>(_ part: some StringProtocol, _ read: (String) -> Value?) -> Value? { part == "-" ? nil : read(String(part)) }
    self.init(
      asset: AssetNumber(asset), marks: AssetFlags(rawValue: marks).intersection(.withheld), filename: filename, size: size,
      hint: optional(parts[4]) { Addition.text($0) }, hash: optional(parts[5]) { Addition.text($0) },
      digest: optional(parts[6]) { Addition.bytes($0) }, endsDigest: optional(parts[7]) { Addition.bytes($0) })
  }
}
