import Foundation

/// A thread that does something once and is joined.
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
