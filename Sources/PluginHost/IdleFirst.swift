import Synchronization

/// Several of a kind that each do one thing at a time: whoever comes takes the one that has least to do, and of equals the first, so
/// that no more are started than are needed. What one of them is stuck in keeps nobody waiting who finds another one idle.
final class IdleFirst<Element: Sendable>: Sendable {
  let elements: [Element]
  /// What each does or is about to do.
  private let tasks: Mutex<[Int]>

  init(_ elements: [Element]) {
    self.elements = elements
    tasks = Mutex([Int](repeating: 0, count: elements.count))
  }

  /// Takes one, to be given back.
  func take() -> (element: Element, place: Int) {
    let place = tasks.withLock { tasks in
      let place = tasks.indices.min { tasks[$0] < tasks[$1] } ?? 0
      tasks[place] += 1
      return place
    }
    return (elements[place], place)
  }

  func giveBack(_ place: Int) { tasks.withLock { $0[place] -= 1 } }
}
