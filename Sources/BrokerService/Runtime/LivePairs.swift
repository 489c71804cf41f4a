import Broker
import Catalogue
import PhotoModel

/// Joins the still and the video of a Live Photo into one asset by the content identifier that the
/// camera wrote into both. Equal names prove nothing. But if several files have one identifier, as
/// after a copy, those of equal names belong together. Both halves lie in one folder, because
/// another folder may hold copies.
struct LivePairs {
  private struct Half {
    let record: AssetRecord
    let isNew: Bool

    /// Whether both halves lie in one folder and, with `ofItsName`, have one name.
    func isBeside(_ other: Half, ofItsName: Bool) -> Bool {
      guard let file = record.resources.first, let other = other.record.resources.first,
        StorageFolder(of: file.locator) == StorageFolder(of: other.locator)
      else { return false }
      return !ofItsName || Self.stem(file.filename) == Self.stem(other.filename)
    }

    private static func stem(_ name: String) -> ExactText {
      ExactText((name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name).lowercased())
    }
  }

  private var videos: [String: [Half]] = [:]
  private var stills: [String: [Half]] = [:]
  private var turnedOut: Set<String> = []

  /// Takes a new asset. It returns the joined asset once both halves of one name and folder were
  /// seen; nil if the other half is still missing. So a whole library can stream through during a
  /// scan.
  mutating func take(_ record: AssetRecord) -> AssetRecord? {
    guard let identifier = record.livePhotoIdentifier else { return record }
    let half = Half(record: record, isNew: true)
    switch record.row.mediaType {
    case .image:
      if let video = Self.take(from: &videos[identifier, default: []], beside: half) {
        return Self.join(record, video.record)
      }
      stills[identifier, default: []].append(half)
    case .video:
      if let still = Self.take(from: &stills[identifier, default: []], beside: half) {
        return Self.join(still.record, record)
      }
      videos[identifier, default: []].append(half)
    default:
      return record
    }
    return nil
  }

  private static func take(from others: inout [Half], beside half: Half, ofItsName: Bool = true) -> Half? {
    others.firstIndex { $0.isBeside(half, ofItsName: ofItsName) }.map { others.remove(at: $0) }
  }

  /// Notes a known asset that was read again or moved. It may turn out to be half of a Live Photo
  /// whose other half is known.
  mutating func note(_ record: AssetRecord, was known: AssetRecord) {
    func folder(_ asset: AssetRecord) -> StorageFolder? { asset.resources.first.map { StorageFolder(of: $0.locator) } }
    guard let identifier = record.livePhotoIdentifier,
      identifier != known.livePhotoIdentifier || folder(record) != folder(known)
    else { return }
    turnedOut.insert(identifier)
  }

  /// Identifiers whose other half is missing.
  var waiting: Set<String> {
    turnedOut.union(stills.filter { !$0.value.isEmpty }.keys).union(videos.filter { !$0.value.isEmpty }.keys)
  }

  /// Drops halves that may belong to an app's change request: halves at a known asset's place, and,
  /// while a request runs, halves whose other half is in a known asset. The next scan can tell.
  /// - Parameter known: As in ``finish(known:)``.
  /// - Returns: Whether any were dropped.
  mutating func leaveOut(added known: KnownAssets) -> Bool {
    let places = Set(known.assets.flatMap(\.resources).map { ExactText($0.locator) })
    let identifiers = Set(known.assets.compactMap(\.livePhotoIdentifier))
    var isSome = false
    func rest(_ halves: [String: [Half]]) -> [String: [Half]] {
      halves.reduce(into: [:]) { rest, halves in
        rest[halves.key] = halves.value.filter { half in
          !(known.isBeingAddedTo && identifiers.contains(halves.key))
            && !half.record.resources.contains { places.contains(ExactText($0.locator)) }
        }
        isSome = isSome || rest[halves.key]?.count != halves.value.count
      }
    }
    (stills, videos) = (rest(stills), rest(videos))
    return isSome
  }

  /// The remaining halves: new ones alone, and known ones joined with a new one. The half that came
  /// first gives the asset its identity, with its selections and edits; if both were assets, the
  /// still does.
  ///
  /// An app's asset is never joined, because the app would see the owner's half.
  ///
  /// - Parameter known: The library's present assets with the identifiers in ``waiting``.
  mutating func finish(known: [AssetRecord]) -> [AssetMutation] {
    var result: [AssetMutation] = []
    for identifier in waiting.sorted() {
      let free = known.filter { asset in
        asset.livePhotoIdentifier == identifier && !asset.row.flags.contains(.trashed) && asset.creator == nil
          && !asset.resources.contains { $0.role == .pairedVideo }
      }
      func halves(_ new: [String: [Half]], _ type: MediaType) -> [Half] {
        (new[identifier] ?? []) + free.filter { $0.row.mediaType == type }.map { Half(record: $0, isNew: false) }
      }
      var (stills, videos) = (halves(stills, .image), halves(videos, .video))
      for ofItsName in [true, false] {
        stills.removeAll { still in
          guard let video = Self.take(from: &videos, beside: still, ofItsName: ofItsName) else { return false }
          result += Self.mutations(joining: still, video)
          return true
        }
      }
      result += (stills + videos).filter(\.isNew).map { .insert($0.record) }
    }
    return result
  }

  private static func mutations(joining still: Half, _ video: Half) -> [AssetMutation] {
    var joined = join(still.record, video.record)
    if video.isNew { return [still.isNew ? .insert(joined) : .update(joined)] }
    guard still.isNew else { return [.update(joined), .remove(video.record.row.number)] }
    joined.row.number = video.record.row.number
    joined.edited = video.record.edited
    if video.record.edited.contains(.caption) { joined.caption = video.record.caption }
    return [.update(joined)]
  }

  private static func join(_ still: AssetRecord, _ video: AssetRecord) -> AssetRecord {
    var joined = still
    joined.row.subtypes.insert(.livePhoto)
    joined.resources += video.resources.filter { $0.role == .original || $0.role == .sidecar }.map { resource in
      var paired = resource
      if paired.role == .original { paired.role = .pairedVideo }
      return paired
    }
    return joined
  }
}
