/// An observer of one grant's view. It is signalled, and fetches the changes when it is ready. A
/// slow reader thus costs nothing, and misses only intermediate states.
package final class ChangeObserver {
  package let grant: GrantState
  package let attenuation: Attenuation?
  let signal: () -> Void
  var token: ChangeToken
  var albumsRevision: UInt64
  /// The albums of the last event.
  var albums: VisibleAlbums

  init(
    grant: GrantState, attenuation: Attenuation?, token: ChangeToken, albumsRevision: UInt64, albums: VisibleAlbums,
    signal: @escaping () -> Void
  ) {
    self.grant = grant
    self.attenuation = attenuation
    self.token = token
    self.albumsRevision = albumsRevision
    self.albums = albums
    self.signal = signal
  }
}
