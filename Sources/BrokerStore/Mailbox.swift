import Broker
import Glibc

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

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  // Guarded by `mutex`.
  private var commits: [PendingCommit] = []
  /// The waiting reads of each library, next first: a person who asks for much delays no other.
  private var reads: [(library: LibraryName?, waiting: ArraySlice<Read>)] = []
  private var isClosing = false
  private var wake = false
  /// Commits that were taken out and are not written yet; used by the store's thread only.
  private var turns = CommitTurns()

  init() {
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Returns false once the mailbox is closed.
  func put(_ commit: PendingCommit) -> Bool { putting { commits.append(commit) } }
  func put(_ read: @escaping Read, of library: LibraryName?) -> Bool { putting { enqueue(read, of: library) } }

  /// Adds a reader's next piece, also while closing, so that the reader gets its answer.
  func putBack(_ read: @escaping Read, of library: LibraryName?) { locked { enqueue(read, of: library) } }

  private func enqueue(_ read: @escaping Read, of library: LibraryName?) {
    if let index = reads.firstIndex(where: { $0.library == library }) {
      reads[index].waiting.append(read)
    } else {
      reads.append((library, [read]))
    }
  }

  /// Wakes the store's thread.
  func signal() {
    locked { wake = true }
    pthread_cond_signal(condition)
  }

  /// Refuses new work; present work is still done.
  func close() {
    locked { isClosing = true }
    pthread_cond_signal(condition)
  }

  /// Waits for work until the deadline, in nanoseconds on the monotonic clock; nil: without limit.
  func take(until deadline: Int64?) -> Round {
    let came = locked {
      while turns.isEmpty, commits.isEmpty, reads.isEmpty, !isClosing, !wake {
        guard let deadline else {
          pthread_cond_wait(condition, mutex)
          continue
        }
        var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { break }
      }
      wake = false
      defer { commits = [] }
      return commits
    }
    for commit in came { turns.add(commit) }
    var round = Round()
    if !turns.isEmpty { round.commits = turns.next() }
    return locked {
      let isLast = turns.isEmpty && commits.isEmpty
      // A reader sees all commits that were put in before it.
      if isLast, !reads.isEmpty {
        var turn = reads.removeFirst()
        (round.read, round.library) = (turn.waiting.removeFirst(), turn.library)
        if !turn.waiting.isEmpty { reads.append(turn) }
      }
      round.isClosing = isClosing && isLast && reads.isEmpty
      return round
    }
  }

  /// Signals after unlocking: the woken thread would wait for the mutex at once.
  private func putting(_ action: () -> Void) -> Bool {
    let isTaken = locked {
      guard !isClosing else { return false }
      action()
      return true
    }
    if isTaken { pthread_cond_signal(condition) }
    return isTaken
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }
}
