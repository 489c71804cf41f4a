import PhotoModel

/// Facts of a photo or video file, without its sidecars. They tell whether a file is an edited version
/// of a photo, or another photo with its name.
package struct PictureFacts: Sendable, Equatable {
  /// Digest of the coded picture or film without its metadata; nil: the format does not tell them
  /// apart.
  package var digest: [UInt8]?
  /// Microseconds since 1970 as if the local clock of the date were UTC; nil: no date with a time.
  package var captured: Int64?
  /// Camera maker and model.
  package var camera: String?

  package init(digest: [UInt8]? = nil, captured: Int64? = nil, camera: String? = nil) {
    self.digest = digest
    self.captured = captured
    self.camera = camera
  }

  /// Whether both have one coded picture, or one time of capture and no other camera. Unknown facts
  /// do not count: without any, the two are different photos.
  func isSamePicture(as other: Self) -> Bool {
    if let digest, digest == other.digest { return true }
    guard let captured, let otherCaptured = other.captured,
      camera == nil || other.camera == nil || camera == other.camera
    else { return false }
    // Programs may drop the fraction of a second.
    let parts = [captured, otherCaptured].map { $0.quotientAndRemainder(dividingBy: 1_000_000) }
    return captured == otherCaptured
      || parts[0].quotient == parts[1].quotient && parts.contains { $0.remainder == 0 }
  }
}

extension ResourceRecord {
  /// Whether another file or state of this file shows the same picture: it has the same bytes, or
  /// is an edit.
  func isSamePicture(as other: ResourceRecord) -> Bool {
    hasSameBytes(as: other) || picture.isSamePicture(as: other.picture)
  }

  fileprivate func isUnchanged(since known: ResourceRecord) -> Bool {
    ExactText(contentVersion) == ExactText(known.contentVersion) && (known.isKnown(by: self) || known.lies(at: self))
  }
}

extension AssetRecord {
  /// Whether a known asset's present files still are its photo. Otherwise another photo took its
  /// place.
  package func isSamePhoto(as known: AssetRecord) -> Bool {
    guard let new = original, let old = known.original else { return false }
    return new.isSamePicture(as: old) || resources.contains { $0.isUnchanged(since: old) }
      || known.resources.contains { new.isUnchanged(since: $0) }
  }

  private var original: ResourceRecord? { resources.first { $0.role == .original } }
}
