import Broker
import Catalogue
import PhotoModel

/// Brings the still and the video of a Live Photo together: one asset, known by the content identifier that the camera
/// wrote into both. Equal names prove nothing.
struct LivePairs {
  private var stills: [String: AssetRecord]
  private var videos: [String: AssetRecord] = [:]
  private var pending: [String: AssetRecord] = [:]
  private var updates: [AssetMutation] = []

  init(known: [AssetRecord]) {
    stills = Dictionary(
      known.compactMap { asset in
        guard asset.row.mediaType == .image, let identifier = asset.livePhotoIdentifier else { return nil }
        return asset.resources.contains { $0.role == .pairedVideo } ? nil : (identifier, asset)
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Takes a new asset; nil where it waits for its other half until `finish`.
  mutating func take(_ record: AssetRecord) -> AssetRecord? {
    guard let identifier = record.livePhotoIdentifier else { return record }
    switch record.row.mediaType {
    case .image where pending[identifier] == nil:
      pending[identifier] = record
      return nil
    case .video where videos[identifier] == nil:
      videos[identifier] = record
      return nil
    default:
      return record
    }
  }

  /// What is left: pairs joined, halves that stay alone, and known stills that got their video.
  mutating func finish() -> [AssetMutation] {
    var result: [AssetMutation] = []
    for (identifier, still) in pending.sorted(by: { $0.key < $1.key }) {
      result.append(.insert(videos.removeValue(forKey: identifier).map { Self.join(still, $0) } ?? still))
    }
    for (identifier, video) in videos.sorted(by: { $0.key < $1.key }) {
      result.append(stills[identifier].map { .update(Self.join($0, video)) } ?? .insert(video))
    }
    return result
  }

  private static func join(_ still: AssetRecord, _ video: AssetRecord) -> AssetRecord {
    var joined = still
    joined.row.subtypes.insert(.livePhoto)
    joined.resources += video.resources.filter { $0.role == .original }.map { resource in
      var paired = resource
      paired.role = .pairedVideo
      return paired
    }
    return joined
  }
}
