import Foundation

/// A thread that runs an action once and can be joined.
final class Once: Sendable {
  private let done = DispatchSemaphore(value: 0)

  init(_ body: @escaping @Sendable () -> Void) {
    Thread { [done] in
      body()
      done.signal()
    }.start()
  }

  func join() { done.wait() }
}
