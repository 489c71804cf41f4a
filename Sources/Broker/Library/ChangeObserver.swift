/// An observer of one grant's view. It is signalled, and fetches the changes when it is ready. A
/// slow reader thus costs nothing, and misses only intermediate states.
package final class ChangeObserver {
  package let grant: GrantState
  package let narrowing: Narrowing?
  let signal: () -> Void
  var token: ChangeToken
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
