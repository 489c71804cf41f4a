/// Which album that fills itself.
///
/// Source: https://developer.apple.com/documentation/photos/phassetcollectionsubtype
public enum AssetCollectionSubtype: String, Hashable, Sendable, CaseIterable {
  // The broker's words.

  /// What a person marked.
  case smartAlbumFavorites = "favorites"
  /// All videos.
  case smartAlbumVideos = "videos"
  /// Pictures of screens.
  case smartAlbumScreenshots = "screenshots"
  /// Bursts.
  case smartAlbumBursts = "bursts"
  /// Live Photos.
  case smartAlbumLivePhotos = "livePhotos"
  /// What came last.
  case smartAlbumRecentlyAdded = "recentlyAdded"
}
