import Broker
import Catalogue
import PhotoModel

/// Brings the still and the video of a Live Photo together: one asset, known by the content identifier that the camera
/// wrote into both. Equal names prove nothing.
struct LivePairs {
  /// Known ones without a video.
  private let stills: [String: AssetRecord]
  private var videos: [String: AssetRecord] = [:]
  private var pending: [String: AssetRecord] = [:]

  init(known: [AssetRecord]) {
    stills = Dictionary(
      known.compactMap { asset in
        guard asset.row.mediaType == .image, let identifier = asset.livePhotoIdentifier else { return nil }
        return asset.resources.contains { $0.role == .pairedVideo } ? nil : (identifier, asset)
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Takes a new asset, and answers it joined with its other half once both were seen: the assets of a whole library flow
  /// while it is looked through. Nil where it waits for the other half until `finish`.
  mutating func take(_ record: AssetRecord) -> AssetRecord? {
    guard let identifier = record.livePhotoIdentifier else { return record }
    switch record.row.mediaType {
    case .image:
      if let video = videos.removeValue(forKey: identifier) { return Self.join(record, video) }
      guard pending[identifier] == nil else { return record }
      pending[identifier] = record
    case .video:
      if let still = pending.removeValue(forKey: identifier) { return Self.join(still, record) }
      guard videos[identifier] == nil else { return record }
      videos[identifier] = record
    default:
      return record
    }
    return nil
  }

  /// What is left: halves that stay alone, and known stills that got their video.
  mutating func finish() -> [AssetMutation] {
    var result: [AssetMutation] = []
    for (_, still) in pending.sorted(by: { $0.key < $1.key }) {
      result.append(.insert(still))
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
