package import PhotoModel

/// The predefined albums, each a query.
package enum SmartAlbum: String, Sendable, CaseIterable {
  case favorites, videos, screenshots, bursts, livePhotos, recentlyAdded

  /// Time span of `recentlyAdded`.
  package static let recentlyAddedSpan = Duration.seconds(30 * 24 * 3600)

  package func narrow(_ query: inout Query, now: Timestamp) {
    switch self {
    case .favorites: query.favourite = query.favourite == false ? Self.nothing(&query) : true
    case .videos: query.mediaTypes = query.mediaTypes.map { $0.intersection([.video]) } ?? [.video]
    case .screenshots: query.allSubtypes.insert(.screenshot)
    case .bursts: query.allSubtypes.insert(.burst)
    case .livePhotos: query.allSubtypes.insert(.livePhoto)
    case .recentlyAdded:
      let start = now.advanced(by: .zero - Self.recentlyAddedSpan)
      query.addedFrom = max(query.addedFrom ?? start, start)
    }
  }

  /// A query for favourites that are not favourites matches nothing.
  private static func nothing(_ query: inout Query) -> Bool {
    query.mediaTypes = []
    return true
  }
}
