import Broker
import EventLoop
import Monitor

/// What each app saw of what happened in the library, noted before it asks: else the time of its
/// next answer would tell how much happened out of its sight.
extension LibraryRuntime {
  /// What happens within so long is looked at together.
  private static let pause = Duration.milliseconds(50)
  /// For so long at a time; calls that came meanwhile go first.
  private static let slice = Duration.milliseconds(1)

  /// Something happened.
  func noteViewsSoon() {
    hasMoreForViews = true
    if !isNotingViews { noteViews(after: Self.pause) }
  }

  private func noteViews(after delay: Duration) {
    isNotingViews = true
    core.loop.schedule(after: delay) { [self] in
      guard !isStopped else { return }
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
        return core.later { [self, rest] in if !isStopped { noteViews(of: rest) } }
      }
    }
    isNotingViews = false
    if hasMoreForViews { noteViews(after: Self.pause) }
  }
}
