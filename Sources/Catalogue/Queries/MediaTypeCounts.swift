package import PhotoModel

package struct MediaTypeCounts: Equatable, Sendable {
  private var unknown = 0
  private var images = 0
  private var videos = 0
  private var audio = 0

  package subscript(type: MediaType) -> Int {
    get {
      switch type {
      case .unknown: unknown
      case .image: images
      case .video: videos
      case .audio: audio
      }
    }
    set {
      switch type {
      case .unknown: unknown = newValue
      case .image: images = newValue
      case .video: videos = newValue
      case .audio: audio = newValue
      }
    }
  }

  package var total: Int { unknown + images + videos + audio }
}
