/// The changes that one grant saw, stored when the log drops its entries.
package struct ViewRecord: Sendable, Equatable {
  package var grant: GrantKey
  /// The grant's ``GrantRecord/viewGeneration``; the record is useless with another one.
  package var generation: UInt32
  /// Number and digest of the visible changes before `seen`.
  package var earlier: UInt64
  package var earlierDigest: UInt64
  /// The newest visible changes, oldest first, numbered from 1.
  package var seen: [ChangeRecord]

  package init(grant: GrantKey, generation: UInt32, earlier: UInt64, earlierDigest: UInt64, seen: [ChangeRecord]) {
    self.grant = grant
    self.generation = generation
    self.earlier = earlier
    self.earlierDigest = earlierDigest
    self.seen = seen
  }
}
