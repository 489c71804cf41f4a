package import Catalogue
package import PhotoModel

/// A file that left an asset which is hidden or never shared: the asset that it turns up in has
/// these marks (R13), and so has what comes into its place as long as it is nowhere, and for a
/// while after it was found elsewhere.
package struct PartedFile: Sendable, Equatable {
  /// How long after a file was found elsewhere a new one in its former place is taken for what its editor made of it.
  package static let placeCounts = Duration.seconds(3_600)
  /// How many that nothing can be told by any more are forgotten at once.
  package static let forgottenAtOnce = 100
  /// How many are looked up for each of the things that a file is known by.
  package static let foundAtOnce = 16

  /// Among those of its library.
  package let number: Int64
  /// Which it left, or was found in since; nil: one that this state does not know.
  package var asset: AssetNumber?
  /// As they were then.
  package let marks: AssetFlags
  /// Its place, as a locator; nil: what came there since was told by it, or it was another file's too.
  package var place: String?
  package let filename: String
  /// Bytes.
  package let size: Int64
  /// What stays with it when it moves; nil: the storage has none.
  package let hint: String?
  /// Which says which bytes they are; nil: the storage tells no such one.
  package let hash: String?
  /// SHA-256 of the bytes, and as in ``ResourceRecord/endsDigest``; nil where it was not worked out.
  package let digest: [UInt8]?
  package let endsDigest: [UInt8]?
  /// Whether it was not found in an asset since.
  package var isMissing: Bool
  /// Until when its place counts; nil: as long as it is missing.
  package var placeEnds: Timestamp?

  package init(
    number: Int64, asset: AssetNumber?, marks: AssetFlags, place: String?, filename: String, size: Int64, hint: String?,
    hash: String?,
    digest: [UInt8]?, endsDigest: [UInt8]?, isMissing: Bool, placeEnds: Timestamp?
  ) {
    self.number = number
    self.asset = asset
    self.marks = marks.intersection(.withheld)
    self.place = place
    self.filename = filename
    self.size = size
    self.hint = hint
    self.hash = hash
    self.digest = digest
    self.endsDigest = endsDigest
    self.isMissing = isMissing
    self.placeEnds = placeEnds
  }

  package init(
    _ file: ResourceRecord, number: Int64, asset: AssetNumber?, marks: AssetFlags, isMissing: Bool = true,
    placeEnds: Timestamp? = nil
  ) {
    self.init(
      number: number, asset: asset, marks: marks, place: file.locator, filename: file.filename, size: file.size,
      hint: file.identityHint,
      hash: file.hash, digest: file.digest, endsDigest: file.endsDigest, isMissing: isMissing, placeEnds: placeEnds)
  }

  /// Whether it has anything in common with a file that it could be known by.
  package func resembles(_ file: ResourceRecord) -> Bool {
    func same<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool { one != nil && one == other }
    if same(hint.map { ExactText($0) }, file.identityHint.map { ExactText($0) }) { return true }
    if same(place.map { ExactText($0) }, ExactText(file.locator)) { return true }
    guard size == file.size else { return false }
    return same(hash.map { ExactText($0) }, file.hash.map { ExactText($0) }) || same(digest, file.digest)
      || same(endsDigest, file.endsDigest) || ExactText(filename) == ExactText(file.filename)
  }
}

extension ResourceRecord {
  /// The storage's own hash of the bytes, where it tells one.
  package var hash: String? { ItemFile.isHash(contentVersion) ? contentVersion : nil }

  /// Whether both surely have the same bytes.
  func hasSameBytes(as other: ResourceRecord) -> Bool {
    guard size == other.size else { return false }
    if let hash, let known = other.hash { return ExactText(hash) == ExactText(known) }
    if let digest, let known = other.digest { return digest == known }
    if let endsDigest, let known = other.endsDigest { return endsDigest == known }
    return false
  }
}
