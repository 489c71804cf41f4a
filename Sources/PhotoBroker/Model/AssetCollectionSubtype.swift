/// The kinds of smart album: albums that the broker fills by a rule.
///
/// Source: https://developer.apple.com/documentation/photos/phassetcollectionsubtype
public enum AssetCollectionSubtype: String, Hashable, Sendable, CaseIterable {
  // Raw values are the broker's names.
  /// Favourites.
  case smartAlbumFavorites = "favorites"
  /// All videos.
  case smartAlbumVideos = "videos"
  /// Screenshots.
  case smartAlbumScreenshots = "screenshots"
  /// Bursts.
  case smartAlbumBursts = "bursts"
  /// Live Photos.
  case smartAlbumLivePhotos = "livePhotos"
  /// The assets that were added last.
  case smartAlbumRecentlyAdded = "recentlyAdded"
}
