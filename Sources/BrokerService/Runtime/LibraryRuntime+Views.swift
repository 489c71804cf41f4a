import Broker
import EventLoop
import Monitor

/// Records each app's view of the library's changes before it asks. Otherwise the duration of its
/// next answer would reveal the number of invisible changes.
extension LibraryRuntime {
  /// Changes within this time are recorded together.
  private static let pause = Duration.milliseconds(50)
  /// Time budget of one turn; pending calls come first.
  private static let slice = Duration.milliseconds(1)

  func noteViewsSoon() {
    hasMoreForViews = true
    if !isNotingViews { noteViews(after: Self.pause) }
  }

  private func noteViews(after delay: Duration) {
    isNotingViews = true
    workers.loop.schedule(after: delay) { [self] in
      guard !workers.isStopped else { return }
      hasMoreForViews = false
      noteViews(of: core.broker.grants(in: library.record.name)[...])
    }
  }

  private func noteViews(of grants: ArraySlice<GrantState>) {
    var rest = grants
    let end = MonotonicTime.now.advanced(by: Self.slice)
    while let grant = rest.first {
      let isNoted = library.noteSeen(by: grant, while: { MonotonicTime.now < end })
      if isNoted { rest.removeFirst() }
      guard isNoted, MonotonicTime.now < end else {
        return workers.later { [self, rest] in if !workers.isStopped { noteViews(of: rest) } }
      }
    }
    isNotingViews = false
    if hasMoreForViews { noteViews(after: Self.pause) }
  }
}
