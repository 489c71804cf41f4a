import Catalogue
import PhotoModel

/// What changed in one grant's view between a point in the change log and now.
///
/// Worked out from the present state and the log alone: the first entry about an asset says what it was before.
struct ViewDifference {
  private struct Track {
    var identifier: AssetIdentifier
    var wasPresent: Bool?
    var wasSelected: Bool?
    var changed = false
  }

  var inserted: [AssetNumber] = []
  var changed: [AssetNumber] = []
  /// With their internal identifiers, since the row may be gone.
  var removed: [AssetIdentifier] = []
  var albumsChanged = false

  /// - Parameters:
  ///   - narrowing: The assets that a token was narrowed to; of others it is told nothing. Nil: not narrowed.
  ///   - showsAlbum: whether the grant's view has this album.
  ///   - isPresent: whether an asset is in the library now and in no way hidden from this kind of view.
  init(
    entries: ArraySlice<ChangeRecord>, grant: GrantState, narrowing: Narrowing?, catalogue: Catalogue,
    showsAlbum: @escaping (AlbumIdentifier) -> Bool, isPresent: @escaping (AssetNumber) -> Bool
  ) {
    let sight = Sight(entries: entries, grant: grant, catalogue: catalogue, showsAlbum: showsAlbum, isPresentNow: isPresent)
    var tracks: [AssetNumber: Track] = [:]
    var order: [AssetNumber] = []
    for entry in entries {
      let isSeen = sight.sees(entry)
      if entry.album != nil {
        albumsChanged = albumsChanged || (isSeen && narrowing?.concerns(entry) ?? true)
        continue
      }
      guard let asset = entry.asset, let identifier = entry.identifier else { continue }
      guard entry.grant == nil || entry.grant == grant.record.key, narrowing?.concerns(entry) ?? true else { continue }
      var track = tracks[asset] ?? Track(identifier: identifier)
      switch entry.kind {
      case .appeared: track.wasPresent = track.wasPresent ?? false
      case .disappeared: track.wasPresent = track.wasPresent ?? true
      case .selected: track.wasSelected = track.wasSelected ?? false
      case .unselected: track.wasSelected = track.wasSelected ?? true
      case .changed: track.changed = true
      case .album: break
      }
      if tracks.updateValue(track, forKey: asset) == nil { order.append(asset) }
    }
    let isFull = grant.record.status == .authorized
    for asset in order {
      guard let track = tracks[asset] else { continue }
      let present = isPresent(asset)
      let selected = isFull || catalogue.contains(asset, in: grant.selection)
      // What came after the token was attached is not in its view.
      let sees = present && selected && (narrowing.map { catalogue.contains(asset, in: $0.selection) } ?? true)
      let saw = (track.wasPresent ?? present) && (isFull || track.wasSelected ?? selected)
      switch (saw, sees) {
      case (false, true): inserted.append(asset)
      case (true, false): removed.append(track.identifier)
      case (true, true): if track.changed || track.wasPresent != nil || track.wasSelected != nil { changed.append(asset) }
      case (false, false): break
      }
    }
  }
}
