import Foundation
import Synchronization

/// A thread that repeats an action until stopped: the other side of a race.
final class Repeater: Sendable {
  private let isOver = Atomic(false)
  private let done = DispatchSemaphore(value: 0)

  init(_ body: @escaping @Sendable () -> Void) {
    Thread { [self] in
      while !isOver.load(ordering: .relaxed) { body() }
      done.signal()
    }.start()
  }

  func stop() {
    isOver.store(true, ordering: .relaxed)
    done.wait()
  }
}
