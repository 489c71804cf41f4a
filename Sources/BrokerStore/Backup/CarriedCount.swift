/// What a restore took over from the state that it replaced.
package struct CarriedCount: Sendable, Equatable {
  /// Assets that were marked as hidden or never to be shared since the backup was made, and stay so.
  package var marked: Int
  /// Assets that were deleted since, and are in the trash.
  package var trashed: Int
  /// Assets that were brought back from the trash since, and are in their places.
  package var broughtBack: Int
  /// Assets of either kind whose libraries the backup does not know: they were added since.
  package var unknown: Int
  /// Libraries, and users with whatever they offer, that a user declined since, and declines still.
  package var declined: Int

  package init(marked: Int = 0, trashed: Int = 0, broughtBack: Int = 0, unknown: Int = 0, declined: Int = 0) {
    self.marked = marked
    self.trashed = trashed
    self.broughtBack = broughtBack
    self.unknown = unknown
    self.declined = declined
  }
}
