import Broker
import PhotoModel
import Synchronization

/// Entries that were noted and are not written yet. The broker's thread puts them in, the writer takes them out.
final class LedgerQueue: Sendable {
  /// Entries that may wait; more are refused, because they could not be kept.
  static let capacity = 1 << 18
  /// So many are written at once, without waiting for the second to end.
  static let urgent = 1 << 14
  /// So many are taken at once: about five milliseconds.
  static let piece = 1 << 12
  /// Of the same asset in the same rendition by the same token so many of those that wait have an
  /// entry of their own; what comes on top is added to the latest. A library keeps so many entries
  /// and no more: whoever reads a byte a million times would push out what others had.
  static let repeats = 4

  struct Entry {
    var library: LibraryName
    var record: LedgerRecord
  }

  /// What entries are alike in.
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
    /// Of at most `piece` each, but for what was put back.
    var pieces: [[Entry]] = []
    /// How many of a kind are in the last piece, and where the latest is.
    var kinds: [Kind: (count: Int, latest: Int)] = [:]
    var count = 0
    var isBroken = false
    var isClosed = false
  }

  enum Answer {
    case refused
    case taken
    /// The first of a group: it has to be written within a second.
    case first
    /// So many wait that they should be written now.
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

  /// The assets and bytes that waiting entries say were handed to an app.
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

  /// Apps to which something of a library was handed.
  func recipients(of library: LibraryName) -> Set<AppIdentifier> {
    state.withLock { state in
      Set(state.pieces.joined().lazy.filter { $0.record.isDelivery && $0.library == library }.map(\.record.app))
    }
  }

  /// The oldest of them, as many as are written in one go.
  func take() -> [Entry] {
    state.withLock { state in
      guard !state.pieces.isEmpty else { return [] }
      let piece = state.pieces.removeFirst()
      if state.pieces.isEmpty { state.kinds = [:] }
      state.count -= piece.count
      return piece
    }
  }

  /// Puts back what could not be written, and refuses more until it can.
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

  /// Takes no more entries until some could be written.
  func refuse() { state.withLock { $0.isBroken = true } }

  var isRefusing: Bool { state.withLock { $0.isBroken } }

  func noteWritten() { state.withLock { $0.isBroken = false } }

  func close() { state.withLock { $0.isClosed = true } }
}
