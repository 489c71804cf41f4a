import Catalogue
package import PhotoModel

/// An asset whose files are gone from the storage and may be back: moved out of the folder and in
/// again, or left out by an option for a while. It is in the library no more, and nobody is told of
/// it. Its record is kept aside, under its number and identifier, for when one of the files that a
/// look takes for new is its own.
///
/// What was decided about it lies where it lay: its number stays in the members of albums, and in
/// the stored selections of grants (``GrantState/away``), unless something is decided there
/// meanwhile that means it too.
package struct AwayAsset: Sendable {
  /// How long what is away is kept.
  package static let patience = Duration.seconds(30 * 86_400)
  /// So many of a library are kept in any case; of a larger one as many as it had photos when the
  /// look began that missed some. The oldest make room.
  package static let alwaysKept = 10_000
  /// How many too old or too many are forgotten in one commit.
  package static let forgottenAtOnce = 100
  /// How many are looked up for each of the things that a file is known by, the latest first.
  package static let foundAtOnce = 16

  /// As it was when its files went.
  package let record: AssetRecord
  /// What its file said against its edits then.
  package let conflict: EditConflict?
  package let since: Timestamp

  package init(record: AssetRecord, conflict: EditConflict?, since: Timestamp) {
    self.record = record
    self.conflict = conflict
    self.since = since
  }

  var originals: [ResourceRecord] { record.resources.filter { $0.role == .original } }

  /// What else a look takes for a photo or video of its own where it is back before the original,
  /// as of a RAW+JPEG or a Live Photo.
  var companions: [ResourceRecord] { record.resources.filter { $0.role != .original && $0.role != .sidecar } }

  /// Whether a file may be one of its own, by what stays with a file or by its place. Bytes alone could be a copy.
  package func mayHave(_ file: ResourceRecord) -> Bool {
    (originals + companions).contains { $0.isKnown(by: file) || $0.lies(at: file) }
  }
}

extension ResourceRecord {
  /// Whether a file is this one, by what stays with a file wherever it lies.
  func isKnown(by file: ResourceRecord) -> Bool {
    guard let hint = identityHint, let other = file.identityHint else { return false }
    return ExactText(hint) == ExactText(other)
  }

  func lies(at file: ResourceRecord) -> Bool { ExactText(locator) == ExactText(file.locator) }
}
