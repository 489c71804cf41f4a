import Limits
package import PhotoModel

/// An owner's edit of an asset's facts; nil keeps a fact.
package struct AssetEdit {
  /// Empty: none.
  package var caption: String?
  package var creationDate: Timestamp?
  /// `.some(nil)`: none.
  package var location: GeoPoint??

  package init(caption: String?, creationDate: Timestamp?, location: GeoPoint??) {
    (self.caption, self.creationDate, self.location) = (caption, creationDate, location)
  }

  /// Requires a caption that can be shown.
  func check() throws(BrokerError) {
    guard let caption, !caption.isCaption else { return }
    throw .refused(.captionText, Self.captionRule, ["limit": "\(BrokerLimits.titleBytes)"])
  }

  static let captionRule =
    "The caption must have at most \(BrokerLimits.titleBytes) bytes, and neither control nor direction characters."

  func set(_ values: inout AssetValues) {
    if let caption { values.caption = caption }
    if let creationDate { values.date = .edited(creationDate) }
    if let location { values.location = location }
  }
}

extension String {
  /// Whether it can be an asset's caption.
  var isCaption: Bool { utf8.count <= BrokerLimits.titleBytes && isShowable(allowsLines: true) }
}
