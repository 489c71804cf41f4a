package import Catalogue
package import PhotoModel

/// A missing asset: its files disappeared from the storage and may return, as after a move out of
/// the folder and back. It stays in the library with its identifier, edits, marks, albums and
/// selections, and no view shows it, until a scan finds one of its files again.
package struct MissingAsset: Sendable {
  /// Time after which missing assets are deleted.
  package static let patience = Duration.seconds(30 * 86_400)
  /// Number of missing assets that a library keeps. A larger library keeps as many as it had photos
  /// when the scan began. The oldest are deleted first.
  package static let alwaysKept = 10_000
  /// Limit of deletions in one commit.
  package static let forgottenAtOnce = 100
  /// Limit of candidates for each key of a file, latest first.
  package static let foundAtOnce = 16

  package typealias Loss = (asset: AssetNumber, since: Timestamp)

  package let record: AssetRecord
  package let since: Timestamp

  package init(record: AssetRecord, since: Timestamp) {
    self.record = record
    self.since = since
  }

  var originals: [ResourceRecord] { record.resources.filter { $0.role == .original } }

  /// Files that a scan takes for separate assets if they return before the original, such as those
  /// of a RAW+JPEG pair or a Live Photo.
  var companions: [ResourceRecord] { record.resources.filter { $0.role != .original && $0.role != .sidecar } }

  /// Whether it returns if its files do. An asset that is missing for too long is deleted soon.
  func mayReturn(at now: Timestamp) -> Bool { since >= now.advanced(by: .zero - Self.patience) }

  /// The assets of a list that are missing for too long or are too many, the oldest first.
  static func expired(_ all: [Loss], keeping limit: Int, at now: Timestamp) -> ArraySlice<Loss> {
    let (oldest, surplus) = (now.advanced(by: .zero - patience), all.count - limit)
    let count = all.prefix(forgottenAtOnce).enumerated().prefix { $1.since < oldest || $0 < surplus }.count
    return all.prefix(count)
  }
}

extension ResourceRecord {
  /// Whether a file is this one, by the identity that survives moves.
  func isKnown(by file: ResourceRecord) -> Bool {
    guard let hint = identityHint, let other = file.identityHint else { return false }
    return ExactText(hint) == ExactText(other)
  }

  func lies(at file: ResourceRecord) -> Bool { ExactText(locator) == ExactText(file.locator) }

  /// Whether a file is this one by identity, and is unchanged or shows the same picture.
  func isStill(_ file: ResourceRecord) -> Bool {
    isKnown(by: file)
      && (ExactText(contentVersion) == ExactText(file.contentVersion) || isSamePicture(as: file))
  }
}
