/// What the decisions need done around them. Called on the broker's thread, never from inside a call that it did not cause.
package protocol BrokerDelegate: AnyObject {
  /// Something was taken away just now and holds already: drop the grant's queued replies, stop its streams that
  /// ``Broker/mayRelease(_:)`` refuses, and say what that met. Must not wait for anything.
  func grantNarrowed(_ grant: GrantState) -> NarrowingEffect
  /// The grant's status, policy or selection is another one: have its album policy answer into `grant.albums`. Until then
  /// no albums are visible where the change took something away.
  func albumAccessNeeded(_ grant: GrantState)
  /// The questions that wait for this user changed.
  func promptsChanged(owner: UInt32)
  /// Close the connection: its app was forgotten, or its token revoked.
  func closeSession(_ session: Session)
}
