import Catalogue
import PhotoModel

/// The detached files that one batch of a scan needs: files detached in this batch, and earlier ones
/// that resemble a file of the batch. All others are only in the store.
struct DetachedFiles {
  private enum Key: Hashable {
    case hint(ExactText)
    case hash(ExactText, Int64)
    case digest([UInt8], Int64)
    case endsDigest([UInt8], Int64)
    case name(ExactText, Int64)
    case place(ExactText)
  }

  private var files: [DetachedFile] = []
  private var indices: [Key: [Int]] = [:]
  private var altered: Set<Int> = []
  /// Numbers of detached files that the running scan found in an asset again. The scan may find hard
  /// links to them in further assets.
  private(set) var claimed: Set<Int64>
  /// The number of the first file that was detached during the running scan.
  private let first: Int64

  init(_ known: [DetachedFile] = [], claimed: Set<Int64> = [], first: Int64 = 0) {
    self.claimed = claimed
    self.first = first
    for file in known { enter(file) }
  }

  var toKeep: [DetachedFile] { altered.sorted().map { files[$0] } }

  mutating func note(_ file: DetachedFile) {
    altered.insert(files.count)
    enter(file)
  }

  private mutating func enter(_ file: DetachedFile) {
    for key in Self.keys(file) { indices[key, default: []].append(files.count) }
    files.append(file)
  }

  subscript(entry: Int) -> DetachedFile { files[entry] }

  /// Finds the detached files that a scanned file may be. A match by identity excludes matches by
  /// bytes.
  /// - Returns: `entries`: all matches, whose marks the scanned file gets. `claims`: the matches that
  ///   are found thereby. Several detached files may have the same bytes, and a scanned file is only
  ///   one of them.
  func find(_ file: ResourceRecord) -> (entries: [Int], claims: [Int]) {
    let sought = DetachedFile(file, number: 0, asset: nil, marks: [])
    func counts(_ index: Int) -> Bool { files[index].isMissing || claimed.contains(files[index].number) }
    if let hint = sought.hint, let certain = indices[.hint(ExactText(hint))]?.filter(counts), !certain.isEmpty {
      // If the file's bytes changed, a copy with the detached bytes may still be elsewhere.
      return (certain, certain.filter { !hasOtherBytes($0, sought) })
    }
    let same = Set(Self.keys(sought).flatMap { indices[$0] ?? [] }).filter { counts($0) && isSame($0, sought) }.sorted()
    return (same, Array(same.filter { files[$0].isMissing }.prefix(1)))
  }

  /// Finds the detached files that had this place and still pass their marks to a new file there.
  /// - Parameter time: the start of the scan.
  func find(at place: String, since time: Timestamp) -> [Int] {
    (indices[.place(ExactText(place))] ?? []).filter { index in
      let file = files[index]
      return file.place != nil && file.placeEnds.map { $0 >= time } ?? file.isMissing
    }
  }

  private func hasOtherBytes(_ index: Int, _ sought: DetachedFile) -> Bool {
    let file = files[index]
    func differ(_ one: [UInt8]?, _ other: [UInt8]?) -> Bool { one != nil && other != nil && one != other }
    return file.size != sought.size || differ(file.digest, sought.digest) || differ(file.endsDigest, sought.endsDigest)
  }

  /// Compares size and content. Without a hash or digest, name and size decide, but only for files
  /// that were detached during this scan or have no identity.
  private func isSame(_ index: Int, _ sought: DetachedFile) -> Bool {
    let file = files[index]
    guard file.size == sought.size else { return false }
    if let hash = file.hash, let other = sought.hash { return ExactText(hash) == ExactText(other) }
    if let digest = file.digest, let other = sought.digest { return digest == other }
    if let digest = file.endsDigest, let other = sought.endsDigest { return digest == other }
    return ExactText(file.filename) == ExactText(sought.filename)
      && (file.number >= first || file.hint == nil || sought.hint == nil)
  }

  private static func keys(_ file: DetachedFile) -> [Key] {
    [
      file.hint.map { .hint(ExactText($0)) }, file.hash.map { .hash(ExactText($0), file.size) },
      file.digest.map { .digest($0, file.size) }, file.endsDigest.map { .endsDigest($0, file.size) },
      .name(ExactText(file.filename), file.size), file.place.map { .place(ExactText($0)) },
    ].compactMap { $0 }
  }

  /// Notes that detached files were found in an asset, which has their marks.
  /// - Parameters:
  ///   - place: The place where they were found. A file that is back at its former place vacates no
  ///     place.
  ///   - ends: The end of the time in which a new file at the former place gets the marks.
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

  /// Notes that a new file took the former place and the marks, so that later files there get none.
  mutating func fillPlace(_ entries: [Int]) {
    for entry in entries {
      files[entry].place = nil
      altered.insert(entry)
    }
  }
}
