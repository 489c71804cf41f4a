import Glibc

/// Threads for work that may never return, or that must outlive its caller.
package enum DetachedThread {
  /// Starts a detached thread.
  ///
  /// - Parameter stackBytes: The stack size. The default is 256 KiB instead of 8 MiB, for threads
  ///   that move bytes without recursion.
  /// - Returns: False if the machine cannot create a thread, with `errno`; `body` will not run.
  package static func start(stackBytes: Int = 256 << 10, _ body: @escaping @Sendable () -> Void) -> Bool {
    var thread = pthread_t()
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, stackBytes)
    let work = Unmanaged.passRetained(Work(body))
    let result = pthread_create(
      &thread, &attributes,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, work.toOpaque())
    guard result != 0 else { return true }
    work.release()
    errno = result
    return false
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
