import Broker
import Synchronization

/// Entries that were noted and are not written yet. The broker's thread puts them in, the writer takes them out.
final class LedgerQueue: Sendable {
  /// Entries that may wait; more are refused, because they could not be kept.
  static let capacity = 1 << 18
  /// So many are written at once, without waiting for the second to end.
  static let urgent = 1 << 14

  struct Entry {
    var library: LibraryName
    var record: LedgerRecord
  }

  private struct State {
    var entries: [Entry] = []
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
      guard !state.isBroken, !state.isClosed, state.entries.count < Self.capacity else { return .refused }
      state.entries.append(entry)
      if state.entries.count == 1 { return .first }
      return state.entries.count % Self.urgent == 0 ? .urgent : .taken
    }
  }

  var isUrgent: Bool { state.withLock { $0.entries.count >= Self.urgent } }
  var isEmpty: Bool { state.withLock { $0.entries.isEmpty } }

  func take() -> [Entry] {
    state.withLock { state in
      defer { state.entries = [] }
      return state.entries
    }
  }

  /// Puts back what could not be written, and refuses more until it can.
  func putBack(_ entries: [Entry]) {
    state.withLock { state in
      state.entries = entries + state.entries
      state.isBroken = true
    }
  }

  /// Takes no more entries until some could be written.
  func refuse() { state.withLock { $0.isBroken = true } }

  var isRefusing: Bool { state.withLock { $0.isBroken } }

  func noteWritten() { state.withLock { $0.isBroken = false } }

  func close() { state.withLock { $0.isClosed = true } }
}
