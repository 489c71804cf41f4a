import Catalogue
import PhotoModel

/// Files that left what is hidden or never shared, as far as one batch of a look has to do with
/// them: those that what it found may be, and those that it finds gone itself. All others are in
/// the store alone, however many there are.
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
  /// What is to be kept anew.
  private var altered: Set<Int> = []
  /// Those that the look which is under way found in an asset. Other links to them may be found by it too.
  private(set) var claimed: Set<Int64>
  /// The number of the first of those that the look which is under way found gone.
  private let first: Int64

  init(_ known: [PartedFile] = [], claimed: Set<Int64> = [], first: Int64 = 0) {
    self.claimed = claimed
    self.first = first
    for file in known { enter(file) }
  }

  /// In the order in which they left.
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

  /// Which entries a file is found to be, and which of them are found with it. Those that surely
  /// are come alone: there may be files of the same bytes, and of these it is one, and the others
  /// are still to come.
  func find(_ file: ResourceRecord) -> (entries: [Int], claims: [Int]) {
    let sought = PartedFile(file, number: 0, asset: nil, marks: [])
    func counts(_ index: Int) -> Bool { files[index].isMissing || claimed.contains(files[index].number) }
    if let hint = sought.hint, let certain = indices[.hint(ExactText(hint))]?.filter(counts), !certain.isEmpty {
      return (certain, certain)
    }
    let same = Set(Self.keys(sought).flatMap { indices[$0] ?? [] }).filter { counts($0) && isSame($0, sought) }.sorted()
    return (same, Array(same.filter { files[$0].isMissing }.prefix(1)))
  }

  /// Which entries left a place that still counts as theirs.
  /// - Parameter time: When the look began.
  func find(at place: String, since time: Timestamp) -> [Int] {
    (indices[.place(ExactText(place))] ?? []).filter { index in
      let file = files[index]
      return file.place != nil && file.placeEnds.map { $0 >= time } ?? file.isMissing
    }
  }

  /// A name and a size are no proof: they count where there is nothing better to know the file by,
  /// at once or for lack of hints.
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

  /// They are in an asset that has the marks.
  /// - Parameters:
  ///   - place: Where; one that came back to its own place has left none.
  ///   - ends: Until when the place counts that one left which is elsewhere.
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

  /// What came into their place has the marks, and is what counts there from now on.
  mutating func fillPlace(_ entries: [Int]) {
    for entry in entries {
      files[entry].place = nil
      altered.insert(entry)
    }
  }
}
