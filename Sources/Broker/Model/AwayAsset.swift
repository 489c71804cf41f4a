import Catalogue
package import PhotoModel

/// A missing asset: its files disappeared from the storage and may return, as after a move out of
/// the folder and back. It is not in the library. Its record is stored aside under its number and
/// identifier, until a scan finds one of its files again.
///
/// Its number stays in albums and in stored selections of grants (``GrantState/away``), unless a
/// later decision removes it there.
package struct AwayAsset: Sendable {
  /// Time after which missing assets are deleted.
  package static let patience = Duration.seconds(30 * 86_400)
  /// Number of missing assets that a library keeps. A larger library keeps as many as it had photos
  /// when the scan began. The oldest are deleted first.
  package static let alwaysKept = 10_000
  /// Limit of deletions in one commit.
  package static let forgottenAtOnce = 100
  /// Limit of candidates for each key of a file, latest first.
  package static let foundAtOnce = 16

  /// The record when the files disappeared.
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
}

extension ResourceRecord {
  /// Whether a file is this one, by the identity that survives moves.
  func isKnown(by file: ResourceRecord) -> Bool {
    guard let hint = identityHint, let other = file.identityHint else { return false }
    return ExactText(hint) == ExactText(other)
  }

  func lies(at file: ResourceRecord) -> Bool { ExactText(locator) == ExactText(file.locator) }
}
