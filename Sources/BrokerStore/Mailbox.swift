import Broker
import Monitor

/// The work of the store's thread. The broker's thread puts it in, the store's thread takes it out.
final class Mailbox: @unchecked Sendable {
  /// A piece of reading; returns true if pieces remain. Readers take turns, and commits go first.
  typealias Read = @Sendable (Writer) -> Bool

  struct Round {
    var commits: [PendingCommit] = []
    var read: Read?
    /// The library of `read`.
    var library: LibraryName?
    var isClosing = false
  }

  private struct Arrived {
    var commits: [PendingCommit] = []
    /// The waiting reads of each library, next first: a person who asks for much delays no other.
    var reads: [(library: LibraryName?, waiting: ArraySlice<Read>)] = []
    var isClosing = false
    var wake = false

    mutating func enqueue(_ read: @escaping Read, of library: LibraryName?) {
      if let index = reads.firstIndex(where: { $0.library == library }) {
        reads[index].waiting.append(read)
      } else {
        reads.append((library, [read]))
      }
    }
  }

  private let arrived = Monitor(Arrived())
  /// Commits that were taken out and are not written yet; used by the store's thread only.
  private var turns = CommitTurns()

  /// Returns false once the mailbox is closed.
  func put(_ commit: PendingCommit) -> Bool { putting { $0.commits.append(commit) } }
  func put(_ read: @escaping Read, of library: LibraryName?) -> Bool { putting { $0.enqueue(read, of: library) } }

  /// Adds a reader's next piece, also while closing, so that the reader gets its answer.
  func putBack(_ read: @escaping Read, of library: LibraryName?) { arrived.withLock { $0.enqueue(read, of: library) } }

  /// Wakes the store's thread.
  func signal() { arrived.changeForOne { $0.wake = true } }

  /// Refuses new work; present work is still done.
  func close() { arrived.changeForOne { $0.isClosing = true } }

  /// Waits for work until the deadline, in nanoseconds on the monotonic clock; nil: without limit.
  func take(until deadline: Int64?) -> Round {
    if turns.isEmpty {
      let end = deadline.map { MonotonicTime(nanoseconds: $0) } ?? .never
      arrived.wait(until: end) { $0.wake || $0.isClosing || !$0.commits.isEmpty || !$0.reads.isEmpty ? () : nil }
    }
    let came = arrived.withLock { arrived in
      arrived.wake = false
      defer { arrived.commits = [] }
      return arrived.commits
    }
    for commit in came { turns.add(commit) }
    var round = Round()
    if !turns.isEmpty { round.commits = turns.next() }
    return arrived.withLock { arrived in
      let isLast = turns.isEmpty && arrived.commits.isEmpty
      // A reader sees all commits that were put in before it.
      if isLast, !arrived.reads.isEmpty {
        var turn = arrived.reads.removeFirst()
        (round.read, round.library) = (turn.waiting.removeFirst(), turn.library)
        if !turn.waiting.isEmpty { arrived.reads.append(turn) }
      }
      round.isClosing = arrived.isClosing && isLast && arrived.reads.isEmpty
      return round
    }
  }

  private func putting(_ action: (inout Arrived) -> Void) -> Bool {
    arrived.changeForOne { arrived in
      guard !arrived.isClosing else { return false }
      action(&arrived)
      return true
    }
  }
}
