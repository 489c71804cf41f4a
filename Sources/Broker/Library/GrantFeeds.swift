import Catalogue
import Limits
import PhotoModel

/// The feeds of one grant: one for its whole view, and one for each set of assets that tokens were
/// narrowed to, so that the position of a narrowed token counts nothing of what it does not show.
///
/// Filled from the log when somebody asks, and before the log is folded.
struct GrantFeeds {
  /// How many narrowed feeds are kept. One that was dropped is filled again from the whole one when
  /// it is asked for, and reaches no further back than that.
  private static let narrowedLimit = BrokerLimits.narrowingsPerGrant

  /// The kind of view that this was filled for.
  let generation: UInt32?
  /// Everything up to this sequence of the log has been looked at.
  private(set) var scanned: UInt64
  /// Whether the store has `whole` as it is.
  var isKept = false
  private(set) var whole = GrantFeed()
  private var narrowed: [(assets: Set<AssetIdentifier>, feed: GrantFeed)] = []

  init(generation: UInt32? = nil, scanned: UInt64 = 0) {
    self.generation = generation
    self.scanned = scanned
  }

  /// As it was kept.
  /// - Parameter scanned: How far the log is forgotten.
  init(_ record: ViewRecord, scanned: UInt64) {
    self.init(generation: record.generation, scanned: scanned)
    whole = GrantFeed(record.seen, earlier: record.earlier, earlierDigest: record.earlierDigest)
    isKept = true
  }

  /// What is to be kept of it.
  func record(of grant: GrantKey) -> ViewRecord {
    ViewRecord(
      grant: grant, generation: generation ?? 0, earlier: whole.earlier, earlierDigest: whole.earlierDigest,
      seen: whole.records)
  }

  /// Takes the entries that the grant sees, of those up to a sequence.
  mutating func note(_ entries: [ChangeRecord], through sequence: UInt64) {
    scanned = sequence
    guard !entries.isEmpty else { return }
    isKept = false
    for entry in entries { whole.note(entry) }
    whole.trim()
    for index in narrowed.indices {
      for entry in entries where Narrowing.concerns(entry, narrowed[index].assets) { narrowed[index].feed.note(entry) }
      narrowed[index].feed.trim()
    }
  }

  /// - Parameter narrowing: nil: the grant's whole view.
  mutating func feed(_ narrowing: Narrowing?) -> GrantFeed {
    guard let narrowing else { return whole }
    // The last used is the last of the list.
    let known = narrowed.firstIndex { $0.assets == narrowing.identifiers }.map { narrowed.remove(at: $0).feed }
    let feed = known ?? part(of: whole, narrowing)
    narrowed.append((narrowing.identifiers, feed))
    if narrowed.count > Self.narrowedLimit { narrowed.removeFirst() }
    return feed
  }

  /// Where the whole feed has forgotten some, nobody knows how many of those it was: it begins with
  /// their digest, so that no token from before is taken for one of it.
  private func part(of whole: GrantFeed, _ narrowing: Narrowing) -> GrantFeed {
    GrantFeed(whole.records.filter(narrowing.concerns), earlier: 0, earlierDigest: whole.earlierDigest)
  }
}
