package import Catalogue

/// What the decisions need done around them. Called on the broker's thread, never from inside a
/// call that it did not cause.
package protocol BrokerDelegate: AnyObject {
  /// Something was taken away just now and holds already: drop the grant's queued replies, stop its streams that
  /// ``Broker/mayRelease(_:)`` refuses, and say what that met. Must not wait for anything.
  func grantNarrowed(_ grant: GrantState) -> NarrowingEffect
  /// Of assets that apps go on seeing not everything may be handed to them any more. Comes before
  /// what ``grantNarrowed(_:)`` is told.
  func contentNarrowed(in library: LibraryName)
  /// The grant's status, policy or selection is another one: have its album policy answer into
  /// `grant.albums`. Until then no albums are visible where the change took something away.
  func albumAccessNeeded(_ grant: GrantState)
  /// The questions that wait for these users changed.
  func promptsChanged(owners: Set<UInt32>)
  /// Work out what a rule selects, now; nil: it could not be. May answer at once or later.
  func select(_ selectors: [RuleSelector], in library: LibraryState, completion: @escaping (Selection?) -> Void)
  /// Close the connection: its app was forgotten, or its token revoked.
  func closeSession(_ session: Session)
}
