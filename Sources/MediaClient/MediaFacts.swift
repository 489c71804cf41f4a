package import PhotoModel

/// The facts in a file, validated but not trusted: use text for display, never for decisions.
package struct MediaFacts: Sendable, Hashable {
  package enum Kind: String, Sendable { case unknown, image, video, sidecar }

  /// The version of the worker's rules. Raising it makes every known file be read again, which
  /// takes as long as for a new library. Raise it for changes to many photos' dates or locations.
  package static let version: UInt32 = 5

  package struct Size: Sendable, Hashable {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
      self.width = width
      self.height = height
    }
  }

  package var kind: Kind = .unknown
  /// By content, not by name; nil for an unknown format.
  package var mimeType: String?
  /// A short word, such as `jpeg`, `heic`, `mov`.
  package var container: String?
  /// As displayed.
  package var size: Size?
  /// As stored, before `orientation`.
  package var codedSize: Size?
  /// EXIF's 1 to 8: turns the stored picture into the displayed one. Thumbnails have it applied.
  package var orientation = 1
  package var date: CaptureDate?
  package var location: GeoPoint?
  /// Metres above sea level; negative below.
  package var altitude: Double?
  package var make: String?
  package var model: String?
  package var duration: Duration?
  /// Frames per 1,000 seconds.
  package var frameRate: Int?
  /// The number of pictures in an animation.
  package var frames: Int?
  /// Equal in the still and the movie of a Live Photo.
  package var liveIdentifier: String?
  /// Equal in all frames of a burst.
  package var burstIdentifier: String?
  package var subtypes: MediaSubtypes = []
  package var title: String?
  package var caption: String?
  /// At most 32.
  package var keywords: [String] = []
  /// -1 (rejected) to 5.
  package var rating: Int?
  /// The bytes of a motion photo's movie inside the file.
  package var motionMovie: Range<UInt64>?
  /// Facts in the file itself, without a sidecar.
  package struct Own: Sendable, Hashable {
    /// Make and model.
    package var camera: String?
    /// Microseconds since 1970 of the date, as if its local clock were UTC.
    package var date: Int64?
  }

  package var own = Own()
  /// Digest of the coded picture or film, without its metadata.
  package var picture: [UInt8]?
  package var problems: Set<MediaProblem> = []

  package init() {}

  /// PhotoKit's media type; unknown for a sidecar.
  package var mediaType: MediaType {
    switch kind {
    case .image: .image
    case .video: .video
    case .unknown, .sidecar: .unknown
    }
  }
}
