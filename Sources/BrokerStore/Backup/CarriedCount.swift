/// What a restore took over from the state that it replaced.
package struct CarriedCount: Sendable, Equatable {
  /// Assets that were marked as hidden or never to be shared since the backup was made, and stay so.
  package var marked: Int
  /// Assets that were deleted since, and are in the trash.
  package var trashed: Int
  /// Deleted assets of which the backup does not know: they were added since as well.
  package var unknown: Int

  package init(marked: Int = 0, trashed: Int = 0, unknown: Int = 0) {
    self.marked = marked
    self.trashed = trashed
    self.unknown = unknown
  }
}
