import Catalogue
import Limits
import PhotoModel

/// The feeds of one grant: one for the whole view and one for each attenuation of its tokens. The
/// position of an attenuated token thus counts only its own assets.
///
/// Filled from the log on demand, and before the log is folded.
struct GrantFeeds {
  /// Limit of attenuated feeds. A dropped feed is refilled from the whole one, and reaches no
  /// further back than that.
  private static let narrowedLimit = BrokerLimits.narrowingsPerGrant

  let generation: UInt32?
  /// The last sequence of the log that was processed.
  private(set) var scanned: UInt64
  /// Whether the store has the present ``whole``.
  var isKept = false
  private(set) var whole = GrantFeed()
  private var narrowed: [(assets: Set<AssetIdentifier>, feed: GrantFeed)] = []

  init(generation: UInt32? = nil, scanned: UInt64 = 0) {
    self.generation = generation
    self.scanned = scanned
  }

  /// Restores the stored form.
  /// - Parameter scanned: the last sequence that the log has dropped.
  init(_ record: ViewRecord, scanned: UInt64) {
    self.init(generation: record.generation, scanned: scanned)
    whole = GrantFeed(record.seen, earlier: record.earlier, earlierDigest: record.earlierDigest)
    isKept = true
  }

  func record(of grant: GrantKey) -> ViewRecord {
    ViewRecord(
      grant: grant, generation: generation ?? 0, earlier: whole.earlier, earlierDigest: whole.earlierDigest,
      seen: whole.records)
  }

  mutating func note(_ entries: [ChangeRecord], through sequence: UInt64) {
    scanned = sequence
    guard !entries.isEmpty else { return }
    isKept = false
    for entry in entries { whole.note(entry) }
    whole.trim()
    for index in narrowed.indices {
      for entry in entries where Attenuation.concerns(entry, narrowed[index].assets) {
        narrowed[index].feed.note(entry)
      }
      narrowed[index].feed.trim()
    }
  }

  /// - Parameter narrowing: nil: the grant's whole view.
  mutating func feed(_ attenuation: Attenuation?) -> GrantFeed {
    guard let attenuation else { return whole }
    guard !attenuation.key.isLive else { return attenuation.feed }
    // Most recently used last.
    let known = narrowed.firstIndex { $0.assets == attenuation.identifiers }.map { narrowed.remove(at: $0).feed }
    let feed = known ?? part(of: whole, attenuation)
    narrowed.append((attenuation.identifiers, feed))
    if narrowed.count > Self.narrowedLimit { narrowed.removeFirst() }
    return feed
  }

  /// The part of the feed for an attenuation. The number of dropped changes in it is unknown, so it
  /// starts with the whole feed's digest, and no older token matches it.
  private func part(of whole: GrantFeed, _ attenuation: Attenuation) -> GrantFeed {
    GrantFeed(whole.records.filter(attenuation.concerns), earlier: 0, earlierDigest: whole.earlierDigest)
  }
}
