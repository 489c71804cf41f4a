package import Catalogue
package import PhotoModel

/// A detached file: it left a hidden or never-shared asset. An asset in which it is found gets the
/// marks (R13). So does a new file at its former place, while the detached file is missing and for
/// ``placeCounts`` after it is found elsewhere.
package struct DetachedFile: Sendable, Equatable {
  /// Time after a move in which a new file at the former place counts as an editor's version of the
  /// moved file.
  package static let placeCounts = Duration.seconds(3_600)
  /// Limit of records that one commit deletes, of files whose former place no longer counts.
  package static let forgottenAtOnce = 100
  /// Limit of candidates for each key of a file.
  package static let foundAtOnce = 16

  /// Unique within the library.
  package let number: Int64
  /// The asset that it left, or in which it was found later; nil: unknown in this state.
  package var asset: AssetNumber?
  /// The asset's marks when the file left.
  package let marks: AssetFlags
  /// The file's former place, as a locator; nil: a new file took the place, or the file shared the
  /// place with another.
  package var place: String?
  package let filename: String
  /// Bytes.
  package let size: Int64
  /// The storage's identity for it, which survives moves; nil: none.
  package let hint: String?
  /// The storage's hash of the bytes; nil: none.
  package let hash: String?
  /// SHA-256 of the bytes, and the digest of ``ResourceRecord/endsDigest``; nil: not computed.
  package let digest: [UInt8]?
  package let endsDigest: [UInt8]?
  /// Whether it was not found in an asset yet.
  package var isMissing: Bool
  /// End of the time in which the place counts; nil: while the file is missing.
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
}

extension ResourceRecord {
  /// The storage's own hash of the bytes; nil: none.
  package var hash: String? { ItemFile.isHash(contentVersion) ? contentVersion : nil }

  /// Whether both certainly have the same bytes.
  func hasSameBytes(as other: ResourceRecord) -> Bool {
    guard size == other.size else { return false }
    if let hash, let known = other.hash { return ExactText(hash) == ExactText(known) }
    if let digest, let known = other.digest { return digest == known }
    if let endsDigest, let known = other.endsDigest { return endsDigest == known }
    return false
  }
}
