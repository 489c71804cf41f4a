/// Counts of the changes that a restore took over from the replaced state.
package struct CarriedCount: Sendable, Equatable {
  /// Assets that were hidden or marked never-share after the backup, and stay so.
  package var marked: Int
  /// Assets that were deleted after the backup, and are in the trash.
  package var trashed: Int
  /// Assets that came back from the trash after the backup, and are in their library.
  package var broughtBack: Int
  /// Marked or deleted assets that were not taken over: their libraries were added after the
  /// backup.
  package var unknown: Int
  /// Offers that users declined after the backup and still decline: libraries, and other users'
  /// offers as a whole.
  package var declined: Int

  package init(marked: Int = 0, trashed: Int = 0, broughtBack: Int = 0, unknown: Int = 0, declined: Int = 0) {
    self.marked = marked
    self.trashed = trashed
    self.broughtBack = broughtBack
    self.unknown = unknown
    self.declined = declined
  }
}
