import Synchronization

/// Learns the number that the store gives a decision, for whoever made it.
package final class DecisionNumber: Sendable {
  private let number = Atomic(UInt64.max)

  package init() {}

  /// For the store, as it enters the decision. A commit that is tried again notes again.
  package func note(_ given: UInt64) { number.store(given, ordering: .releasing) }

  /// The number once the commit is done. Nil before that, and where it failed.
  package var value: UInt64? {
    let given = number.load(ordering: .acquiring)
    return given == .max ? nil : given
  }
}
