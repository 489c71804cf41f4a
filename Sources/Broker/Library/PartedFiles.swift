import Catalogue
import PhotoModel

/// Files that left hidden or never-shared assets, as far as one batch of a scan concerns them:
/// those that the batch's files resemble, and those that left in the batch. All others are only in
/// the store.
struct PartedFiles {
  private enum Key: Hashable {
    case hint(ExactText)
    case hash(ExactText, Int64)
    case digest([UInt8], Int64)
    case endsDigest([UInt8], Int64)
    case name(ExactText, Int64)
    case place(ExactText)
  }

  private var files: [PartedFile] = []
  private var indices: [Key: [Int]] = [:]
  private var altered: Set<Int> = []
  /// Numbers of files that the running scan found in assets. It may find other links to them.
  private(set) var claimed: Set<Int64>
  /// The first number of files that left during the running scan.
  private let first: Int64

  init(_ known: [PartedFile] = [], claimed: Set<Int64> = [], first: Int64 = 0) {
    self.claimed = claimed
    self.first = first
    for file in known { enter(file) }
  }

  var toKeep: [PartedFile] { altered.sorted().map { files[$0] } }

  mutating func note(_ file: PartedFile) {
    altered.insert(files.count)
    enter(file)
  }

  private mutating func enter(_ file: PartedFile) {
    for key in Self.keys(file) { indices[key, default: []].append(files.count) }
    files.append(file)
  }

  subscript(entry: Int) -> PartedFile { files[entry] }

  /// Finds the entries that a file matches, and those of them that it accounts for. A match by
  /// identity excludes matches by bytes. Several files may have the same bytes, and this one
  /// accounts for one of them only.
  func find(_ file: ResourceRecord) -> (entries: [Int], claims: [Int]) {
    let sought = PartedFile(file, number: 0, asset: nil, marks: [])
    func counts(_ index: Int) -> Bool { files[index].isMissing || claimed.contains(files[index].number) }
    if let hint = sought.hint, let certain = indices[.hint(ExactText(hint))]?.filter(counts), !certain.isEmpty {
      // Other bytes in the same file do not account for those that it had.
      return (certain, certain.filter { !hasOtherBytes($0, sought) })
    }
    let same = Set(Self.keys(sought).flatMap { indices[$0] ?? [] }).filter { counts($0) && isSame($0, sought) }.sorted()
    return (same, Array(same.filter { files[$0].isMissing }.prefix(1)))
  }

  /// Finds the files that left a place and still count there.
  /// - Parameter time: the start of the scan.
  func find(at place: String, since time: Timestamp) -> [Int] {
    (indices[.place(ExactText(place))] ?? []).filter { index in
      let file = files[index]
      return file.place != nil && file.placeEnds.map { $0 >= time } ?? file.isMissing
    }
  }

  private func hasOtherBytes(_ index: Int, _ sought: PartedFile) -> Bool {
    let file = files[index]
    func differ(_ one: [UInt8]?, _ other: [UInt8]?) -> Bool { one != nil && other != nil && one != other }
    return file.size != sought.size || differ(file.digest, sought.digest) || differ(file.endsDigest, sought.endsDigest)
  }

  /// Compares size and content. Name and size decide only if there is no hash or digest, and only
  /// for files that left during this scan or have no identity.
  private func isSame(_ index: Int, _ sought: PartedFile) -> Bool {
    let file = files[index]
    guard file.size == sought.size else { return false }
    if let hash = file.hash, let other = sought.hash { return ExactText(hash) == ExactText(other) }
    if let digest = file.digest, let other = sought.digest { return digest == other }
    if let digest = file.endsDigest, let other = sought.endsDigest { return digest == other }
    return ExactText(file.filename) == ExactText(sought.filename)
      && (file.number >= first || file.hint == nil || sought.hint == nil)
  }

  private static func keys(_ file: PartedFile) -> [Key] {
    [
      file.hint.map { .hint(ExactText($0)) }, file.hash.map { .hash(ExactText($0), file.size) },
      file.digest.map { .digest($0, file.size) }, file.endsDigest.map { .endsDigest($0, file.size) },
      .name(ExactText(file.filename), file.size), file.place.map { .place(ExactText($0)) },
    ].compactMap { $0 }
  }

  /// Notes that files were found in an asset, which has their marks.
  /// - Parameters:
  ///   - place: the place where they were found. A file at its own place has left none.
  ///   - ends: the end of the time in which a new file at the former place gets the marks.
  mutating func claim(_ entries: [Int], by asset: AssetNumber, at place: String, until ends: Timestamp) {
    for entry in entries {
      claimed.insert(files[entry].number)
      files[entry].asset = asset
      files[entry].isMissing = false
      files[entry].placeEnds = ends
      if files[entry].place.map({ ExactText($0) == ExactText(place) }) ?? false { files[entry].place = nil }
      altered.insert(entry)
    }
  }

  /// Notes that a new file took the place and the marks. The new file counts there from now on.
  mutating func fillPlace(_ entries: [Int]) {
    for entry in entries {
      files[entry].place = nil
      altered.insert(entry)
    }
  }
}
