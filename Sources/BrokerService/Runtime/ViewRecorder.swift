import Broker
import EventLoop
import Monitor

/// Records each app's view of the library's changes before it asks. Otherwise the duration of its
/// next answer would reveal the number of invisible changes.
final class ViewRecorder: LibraryService {
  /// Changes within this time are recorded together.
  private static let pause = Duration.milliseconds(50)
  /// Time budget of one turn; pending calls come first.
  private static let slice = Duration.milliseconds(1)

  let context: LibraryContext
  /// Whether a recording is running or scheduled, and whether more changes came since.
  private var isNoting = false
  private var hasMore = false

  init(_ context: LibraryContext) { self.context = context }

  func noteSoon() {
    hasMore = true
    if !isNoting { note(after: Self.pause) }
  }

  private func note(after delay: Duration) {
    isNoting = true
    workers.loop.schedule(after: delay) { [self] in
      guard !workers.isStopped else { return }
      hasMore = false
      note(of: broker.grants(in: library.record.name)[...])
    }
  }

  private func note(of grants: ArraySlice<GrantState>) {
    var rest = grants
    let end = MonotonicTime.now.advanced(by: Self.slice)
    while let grant = rest.first {
      let isNoted = library.changes.noteSeen(by: grant, while: { MonotonicTime.now < end })
      if isNoted { rest.removeFirst() }
      guard isNoted, MonotonicTime.now < end else {
        return workers.later { [self, rest] in if !workers.isStopped { note(of: rest) } }
      }
    }
    isNoting = false
    if hasMore { note(after: Self.pause) }
  }
}
