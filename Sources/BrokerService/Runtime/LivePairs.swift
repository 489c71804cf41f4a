import Broker
import Catalogue
import PhotoModel

/// Brings the still and the video of a Live Photo together: one asset, known by the content identifier that the camera
/// wrote into both. Equal names prove nothing.
struct LivePairs {
  private var videos: [String: AssetRecord] = [:]
  private var stills: [String: AssetRecord] = [:]
  /// Known assets that turned out to be halves.
  private var turnedOut: Set<String> = []

  /// Takes a new asset, and answers it joined with its other half once both were seen: the assets of a whole library flow
  /// while it is looked through. Nil where it waits for the other half until `finish`.
  mutating func take(_ record: AssetRecord) -> AssetRecord? {
    guard let identifier = record.livePhotoIdentifier else { return record }
    switch record.row.mediaType {
    case .image:
      if let video = videos.removeValue(forKey: identifier) { return Self.join(record, video) }
      guard stills[identifier] == nil else { return record }
      stills[identifier] = record
    case .video:
      if let still = stills.removeValue(forKey: identifier) { return Self.join(still, record) }
      guard videos[identifier] == nil else { return record }
      videos[identifier] = record
    default:
      return record
    }
    return nil
  }

  /// Notes a known asset that was looked into again. What nobody looked into before may turn out to be half of a Live Photo, whose other
  /// half is known too.
  mutating func note(_ record: AssetRecord, was known: AssetRecord) {
    guard let identifier = record.livePhotoIdentifier, identifier != known.livePhotoIdentifier else { return }
    turnedOut.insert(identifier)
  }

  /// What is waiting for the other half.
  var waiting: Set<String> { turnedOut.union(stills.keys).union(videos.keys) }

  /// Forgets halves that an app may be adding right now, or has added since they were found: what has a known other half, while
  /// something is written into the storage, and what lies where a known asset lies. They are no app's by the next look, or known.
  /// - Parameter known: As ``finish(known:)`` takes it.
  /// - Returns: whether there were any.
  mutating func leaveOut(added known: IndexJob.Known) -> Bool {
    let before = stills.count + videos.count
    let places = Set(known.assets.flatMap(\.resources).map { ExactText($0.locator) })
    let identifiers = Set(known.assets.compactMap(\.livePhotoIdentifier))
    let isLeftOut = { (identifier: String, half: AssetRecord) in
      known.isBeingAddedTo && identifiers.contains(identifier) || half.resources.contains { places.contains(ExactText($0.locator)) }
    }
    stills = stills.filter { !isLeftOut($0.key, $0.value) }
    videos = videos.filter { !isLeftOut($0.key, $0.value) }
    return stills.count + videos.count < before
  }

  /// What is left: halves that stay alone, and known halves that got the other one. Whichever half came first gives the
  /// asset its identity, with what was selected and edited; where both were assets, the still.
  ///
  /// What an app added is joined with nothing: it sees what it added, and would see the owner's other half.
  ///
  /// - Parameter known: The library's assets with the identifiers in ``waiting``, as they are now.
  mutating func finish(known: [AssetRecord]) -> [AssetMutation] {
    var knownStills: [String: AssetRecord] = [:]
    var knownVideos: [String: AssetRecord] = [:]
    for asset in known where !asset.row.flags.contains(.trashed) && asset.creator == nil {
      guard let identifier = asset.livePhotoIdentifier, !asset.resources.contains(where: { $0.role == .pairedVideo }) else { continue }
      if asset.row.mediaType == .image { knownStills[identifier] = asset }
      if asset.row.mediaType == .video { knownVideos[identifier] = asset }
    }
    var result: [AssetMutation] = []
    for (identifier, still) in stills.sorted(by: { $0.key < $1.key }) {
      guard let video = knownVideos[identifier] else {
        result.append(.insert(still))
        continue
      }
      var joined = Self.join(still, video)
      joined.row.number = video.row.number
      joined.edited = video.edited
      if video.edited.contains(.caption) { joined.caption = video.caption }
      result.append(.update(joined))
    }
    for (identifier, video) in videos.sorted(by: { $0.key < $1.key }) {
      result.append(knownStills[identifier].map { .update(Self.join($0, video)) } ?? .insert(video))
    }
    for identifier in turnedOut.sorted() where stills[identifier] == nil && videos[identifier] == nil {
      guard let still = knownStills[identifier], let video = knownVideos[identifier] else { continue }
      result += [.update(Self.join(still, video)), .remove(video.row.number)]
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
