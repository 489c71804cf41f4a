package import Broker
package import PhotoModel

/// The worker's facts about an item's files.
package struct ItemFacts: Sendable, Equatable {
  /// The time of capture, as far as the files tell.
  package struct Capture: Sendable, Equatable {
    /// Seconds since 1970 as if the local date and time were UTC.
    package var localSeconds: Int64
    package var microseconds: Int32
    /// Minutes east of UTC; nil if the files do not tell.
    package var offsetMinutes: Int32?
    /// The source of the offset, `offset` or `gps`; without one only `partial` has a meaning.
    package var origin: DateOrigin
    /// Whether the offset is that of the place. Videos count in UTC everywhere.
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
  /// Whether a rating of five, or the sidecar of Google Takeout, marks a favourite.
  package var isFavourite = false
  /// The facts of the photo or video itself, without its sidecar.
  package var own = PictureFacts()
  /// Whether the sidecar cannot be read.
  package var isSidecarDamaged = false
  /// The version of the worker's rules; 0 if only the name was considered.
  package var version: UInt32 = 0

  package init(mediaType: MediaType, contentType: String) {
    self.mediaType = mediaType
    self.contentType = contentType
  }
}
