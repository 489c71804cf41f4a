/// The media type of an asset, with PhotoKit's numbers.
///
/// Source: https://developer.apple.com/documentation/photos/phassetmediatype
@frozen public enum MediaType: UInt8, Sendable, Hashable, CaseIterable {
  case unknown = 0
  case image = 1
  case video = 2
  case audio = 3

  /// The name on the wire.
  public var name: String {
    switch self {
    case .unknown: "unknown"
    case .image: "image"
    case .video: "video"
    case .audio: "audio"
    }
  }

  public init?(name: some StringProtocol) {
    guard let type = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = type
  }
}
