/// An album that fills itself.
public enum SmartAlbum: String, Hashable, Sendable, CaseIterable {
  /// What a person marked.
  case favorites
  /// All videos.
  case videos
  /// Pictures of screens.
  case screenshots
  /// Bursts.
  case bursts
  /// Live Photos.
  case livePhotos
  /// What came last.
  case recentlyAdded
}
