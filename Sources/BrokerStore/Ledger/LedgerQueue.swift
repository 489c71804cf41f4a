import Broker
import PhotoModel
import Synchronization

/// Ledger entries that are not written yet. The broker's thread appends them, the store's thread
/// takes them.
final class LedgerQueue: Sendable {
  /// Limit of waiting entries; further ones are refused.
  static let capacity = 1 << 18
  /// This many waiting entries are written without delay.
  static let urgent = 1 << 14
  /// Entries per piece: about five milliseconds.
  static let piece = 1 << 12
  /// Limit of separate waiting entries for one asset, rendition and token; the bytes of further
  /// ones are added to the latest. A library keeps a limited number of entries, and a client that
  /// reads a byte a million times would displace those of others.
  static let repeats = 4

  struct Entry {
    var library: LibraryName
    var record: LedgerRecord
  }

  private struct Kind: Hashable {
    let library: LibraryName
    let app: AppIdentifier
    let accessor: Accessor
    let asset: AssetIdentifier
    let rendition: String

    init(_ entry: Entry) {
      library = entry.library
      (app, accessor) = (entry.record.app, entry.record.accessor)
      (asset, rendition) = (entry.record.asset, entry.record.rendition)
    }
  }

  private struct State {
    /// At most `piece` entries each, except those that were put back.
    var pieces: [[Entry]] = []
    /// The number of entries of a kind in the last piece, and the index of the latest.
    var kinds: [Kind: (count: Int, latest: Int)] = [:]
    var count = 0
    var isBroken = false
    var isClosed = false
  }

  enum Answer {
    case refused
    case taken
    /// The first of a group, which must be written within a second.
    case first
    /// So many entries wait that they should be written now.
    case urgent
  }

  private let state = Mutex(State())

  func append(_ entry: Entry) -> Answer {
    state.withLock { state in
      guard !state.isBroken, !state.isClosed, state.count < Self.capacity else { return .refused }
      if state.pieces.last.map({ $0.count >= Self.piece }) ?? true {
        state.pieces.append([])
        state.kinds = [:]
      }
      let (last, kind) = (state.pieces.count - 1, Kind(entry))
      if let known = state.kinds[kind], known.count >= Self.repeats {
        state.pieces[last][known.latest].record.bytes &+= entry.record.bytes
        return .taken
      }
      state.kinds[kind] = (state.kinds[kind, default: (0, 0)].count + 1, state.pieces[last].count)
      state.pieces[last].append(entry)
      state.count += 1
      if state.count == 1 { return .first }
      return state.count % Self.urgent == 0 ? .urgent : .taken
    }
  }

  var isUrgent: Bool { state.withLock { $0.count >= Self.urgent } }
  var isEmpty: Bool { state.withLock { $0.count == 0 } }

  /// The assets and bytes of waiting entries that an app received.
  func deliveries(of library: LibraryName, to app: AppIdentifier) -> (assets: Set<AssetIdentifier>, bytes: Int64) {
    state.withLock { state in
      var found: (assets: Set<AssetIdentifier>, bytes: Int64) = ([], 0)
      for entry in state.pieces.joined()
      where entry.record.isDelivery && entry.record.app == app && entry.library == library {
        found.assets.insert(entry.record.asset)
        found.bytes &+= entry.record.bytes
      }
      return found
    }
  }

  /// The apps of waiting entries that received assets of a library.
  func recipients(of library: LibraryName) -> Set<AppIdentifier> {
    state.withLock { state in
      Set(state.pieces.joined().lazy.filter { $0.record.isDelivery && $0.library == library }.map(\.record.app))
    }
  }

  func take() -> [Entry] {
    state.withLock { state in
      guard !state.pieces.isEmpty else { return [] }
      let piece = state.pieces.removeFirst()
      if state.pieces.isEmpty { state.kinds = [:] }
      state.count -= piece.count
      return piece
    }
  }

  /// Puts entries back after a failed write, and refuses more until a write succeeds.
  func putBack(_ entries: [Entry]) {
    state.withLock { state in
      if !entries.isEmpty {
        if state.pieces.isEmpty { state.kinds = [:] }
        state.pieces.insert(entries, at: 0)
      }
      state.count += entries.count
      state.isBroken = true
    }
  }

  func refuse() { state.withLock { $0.isBroken = true } }

  var isRefusing: Bool { state.withLock { $0.isBroken } }

  func noteWritten() { state.withLock { $0.isBroken = false } }

  func close() { state.withLock { $0.isClosed = true } }
}
