import Synchronization

/// Receives the number that the store gives a decision.
package final class DecisionNumber: Sendable {
  private let number = Atomic(UInt64.max)

  package init() {}

  /// Called by the store in the commit. A retried commit calls it again.
  package func note(_ given: UInt64) { number.store(given, ordering: .releasing) }

  /// The number after the commit. Nil before it, and after a failure.
  package var value: UInt64? {
    let given = number.load(ordering: .acquiring)
    return given == .max ? nil : given
  }
}
