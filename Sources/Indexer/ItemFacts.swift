package import PhotoModel

/// What the media worker found in an item's files.
package struct ItemFacts: Sendable, Equatable {
  /// When it was taken, as far as the files say.
  package struct Capture: Sendable, Equatable {
    /// Seconds since 1970 as if the local date and time were UTC.
    package var localSeconds: Int64
    package var microseconds: Int32
    /// Minutes east of UTC; nil: the files do not say.
    package var offsetMinutes: Int32?
    /// Where the offset is from: `offset` or `gps`; meaningless without one.
    package var origin: DateOrigin
    /// Whether the offset is that of the place; films count in UTC wherever they are made.
    package var isLocal: Bool

    package init(
      localSeconds: Int64, microseconds: Int32, offsetMinutes: Int32?, origin: DateOrigin, isLocal: Bool = true
    ) {
      self.localSeconds = localSeconds
      self.microseconds = microseconds
      self.offsetMinutes = offsetMinutes
      self.origin = origin
      self.isLocal = isLocal
    }
  }

  package var mediaType: MediaType
  package var contentType: String
  package var subtypes: MediaSubtypes = []
  package var width: UInt32 = 0
  package var height: UInt32 = 0
  package var durationMilliseconds: UInt32 = 0
  package var capture: Capture?
  package var location: GeoPoint?
  package var camera: String?
  package var caption: String?
  package var livePhotoIdentifier: String?
  package var burstIdentifier: String?
  /// The files' own rating or label says that it is a favourite.
  package var isFavourite = false
  /// There is a sidecar, and it says nothing that can be read.
  package var isSidecarDamaged = false
  /// By which version of the media worker's rules this was found; 0: by the name alone.
  package var version: UInt32 = 0

  package init(mediaType: MediaType, contentType: String) {
    self.mediaType = mediaType
    self.contentType = contentType
  }
}
