import Monitor

/// Unfinished incremental tasks of the loop, first in first out. Each piece of a task answers
/// whether there are more.
final class IncrementalTasks {
  /// Time budget in one turn of the loop.
  private static let slice = Duration.milliseconds(1)
  private var pieces: [() -> Bool] = []

  var isEmpty: Bool { pieces.isEmpty }

  /// Begins a task at the end of this turn.
  func add(_ piece: @escaping () -> Bool) { pieces.append(piece) }

  /// Runs a task for one slice now, then in slices that it shares with all other tasks.
  func run(_ piece: @escaping () -> Bool) {
    let end = MonotonicTime.now.advanced(by: Self.slice)
    while piece() {
      if MonotonicTime.now >= end { return pieces.append(piece) }
    }
  }

  func runNext() {
    if !pieces.isEmpty { run(pieces.removeFirst()) }
  }
}
