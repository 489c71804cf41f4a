import CLinux
import Glibc

/// A named thread that nobody joins.
enum LoopThread {
  private final class Start: Sendable {
    let name: String
    let niceness: Int32
    let body: @Sendable () -> Void

    init(name: String, niceness: Int32, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.niceness = niceness
      self.body = body
    }
  }

  /// Runs `body` on a new thread, whose name is cut to the 15 bytes that the kernel keeps.
  ///
  /// - Throws: `system`.
  /// - Parameter niceness: how much it stands back where processors are scarce, 0 to 19.
  static func start(name: String, niceness: Int32 = 0, _ body: @escaping @Sendable () -> Void) throws(EventLoopError) {
    let argument = Unmanaged.passRetained(Start(name: name, niceness: niceness, body: body))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    let result = pthread_create(
      &thread, &attributes,
      { raw in
        guard let raw else { return nil }
        let start = Unmanaged<Start>.fromOpaque(raw).takeRetainedValue()
        _ = clinux_set_thread_name(start.name)
        if start.niceness > 0 { _ = clinux_stand_back(start.niceness) }
        start.body()
        return nil
      }, argument.toOpaque())
    guard result == 0 else {
      argument.release()
      throw .system("Starting a thread", result)
    }
  }
}
