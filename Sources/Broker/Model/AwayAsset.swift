import Catalogue
package import PhotoModel

/// An asset whose files are gone from the storage and may be back: moved out of the folder and in again, or left out by an option for a
/// while. It is in the library no more, and nobody is told of it. Its record is kept aside, under its number and identifier, for when
/// one of the files that a look takes for new is its own.
///
/// What was decided about it lies where it lay: its number stays in the members of albums, and in the stored selections of grants
/// (``GrantState/away``), unless something is decided there meanwhile that means it too.
package struct AwayAsset: Sendable {
  /// How long what is away is kept.
  package static let patience = Duration.seconds(30 * 86_400)
  /// So many of a library are kept in any case; of a larger one as many as it had photos when the look began that missed some. The
  /// oldest make room.
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

  private var original: ResourceRecord? { record.resources.first { $0.role == .original } }

  /// Whether a file is its own, by what stays with a file wherever it lies.
  package func isKnown(by file: ResourceRecord) -> Bool {
    guard let hint = original?.identityHint, let other = file.identityHint else { return false }
    return ExactText(hint) == ExactText(other)
  }

  package func lay(at file: ResourceRecord) -> Bool { original.map { ExactText($0.locator) == ExactText(file.locator) } ?? false }

  /// Whether a file is its own put there anew, such as from another disk: the same bytes under the same name. Bytes alone could be a copy.
  func isSame(as file: ResourceRecord) -> Bool { lay(at: file) && original?.hasSameBytes(as: file) ?? false }
}
