/// Somebody who watches one grant's view. Told that something may have happened; fetches what it
/// was when it can take it, so that a slow reader costs nothing and loses nothing but the steps in
/// between.
package final class ChangeObserver {
  package let grant: GrantState
  package let narrowing: Narrowing?
  let signal: () -> Void
  var token: ChangeToken
  /// ``LibraryState/albumsRevision`` when it was last told.
  var albumsRevision: UInt64

  init(
    grant: GrantState, narrowing: Narrowing?, token: ChangeToken, albumsRevision: UInt64, signal: @escaping () -> Void
  ) {
    self.grant = grant
    self.narrowing = narrowing
    self.token = token
    self.albumsRevision = albumsRevision
    self.signal = signal
  }
}
