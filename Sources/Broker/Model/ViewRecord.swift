/// What one grant saw of its library's changes, kept when the log forgets them.
package struct ViewRecord: Sendable, Equatable {
  package var grant: GrantKey
  /// The grant's ``GrantRecord/viewGeneration`` that this is of; of no use with another.
  package var generation: UInt32
  /// How many visible changes came before those of `seen`, and a digest of them.
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
