import Glibc
import Monitor
import Synchronization

@testable import UnixSocket

final class Reader: Sendable {
  private let connection: BlockingConnection
  private let message = Mutex<[UInt8]?>(nil)

  init(_ connection: BlockingConnection) { self.connection = connection }

  func start() throws {
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { raw in
        let reader = Unmanaged<Reader>.fromOpaque(raw!).takeRetainedValue()
        reader.read()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    guard result == 0 else { throw UnixSocketError.system("Starting a thread", result) }
    pthread_detach(thread)
  }

  private func read() {
    var bytes: [UInt8] = []
    if let frame = try? connection.receive(deadline: .after(.seconds(5))) { bytes = frame.bytes }
    message.withLock { $0 = bytes }
  }

  /// Returns the message, or an empty array without one.
  func wait() -> [UInt8] {
    for _ in 0..<10_000 {
      if let bytes = message.withLock({ $0 }) { return bytes }
      usleep(1_000)
    }
    return []
  }
}
