import Limits
import Monitor
import UnixSocket
import Varlink

/// One connection to the owners' socket, for one call at a time.
final class BrokerLink: Sendable {
  private let connection: BlockingConnection

  private static let connectTimeout = Duration.seconds(5)
  /// Time between two checks whether the browser still waits.
  private static let glance = Duration.milliseconds(200)

  /// - Throws: `unavailable`.
  init(path: String) throws(PageError) {
    do { connection = try BlockingConnection(path: path, timeout: Self.connectTimeout) } catch {
      throw PageError(.unavailable, "The broker cannot be reached: \(error.message)")
    }
  }

  /// Calls a method. The reply may be one of the interface's errors.
  ///
  /// - Throws: `unavailable`, `lost`, `badReply` or `abandoned`; then the connection cannot be used
  ///   again.
  func call(
    _ method: String, _ parameters: some VarlinkEncodable, more: Bool = false,
    descriptors: borrowing OwnedDescriptors = OwnedDescriptors(), isAbandoned: () -> Bool = { false }
  ) throws(PageError) -> Reply {
    try send(method, parameters, more: more, descriptors)
    return try next(isAbandoned)
  }

  /// Calls a method whose reply carries a descriptor, and closes that after `read`.
  ///
  /// - Throws: as ``call(_:_:more:isAbandoned:)``.
  func call<R>(
    _ method: String, _ parameters: some VarlinkEncodable, isAbandoned: () -> Bool,
    read: (Reply, borrowing OwnedDescriptors) -> R
  ) throws(PageError) -> R {
    try send(method, parameters, more: false)
    let frame = try frame(isAbandoned)
    return read(try Self.reply(frame.bytes), frame.descriptors)
  }

  private func send(
    _ method: String, _ parameters: some VarlinkEncodable, more: Bool,
    _ descriptors: borrowing OwnedDescriptors = OwnedDescriptors()
  ) throws(PageError) {
    var writer = JSONWriter()
    writer.appendCall(method, parameters, more: more)
    // `send` adds the terminating zero byte.
    let message = Array(writer.bytes.dropLast())
    guard message.count <= WireLimits.frameBytes else {
      throw PageError(.badRequest, "The request is too long. Split it into several.")
    }
    // The broker ignores an incomplete message, so nothing was done.
    do throws(UnixSocketError) { try connection.send(message.span, descriptors: descriptors) } catch {
      throw PageError(.unavailable, "The connection to the broker failed: \(error.message)")
    }
  }

  /// Waits for the next reply to a call with `more`, until abandoned.
  func next(_ isAbandoned: () -> Bool = { false }) throws(PageError) -> Reply {
    try Self.reply(try frame(isAbandoned).bytes)
  }

  private func frame(_ isAbandoned: () -> Bool) throws(PageError) -> Frame {
    do throws(UnixSocketError) { return try receive(isAbandoned) } catch {
      guard case .timedOut = error.code else { throw Self.lost(error) }
      throw PageError(.abandoned, "The request was cancelled.")
    }
  }

  private static func reply(_ bytes: [UInt8]) throws(PageError) -> Reply {
    do { return try Reply(message: bytes) } catch {
      throw PageError(.badReply, "The broker's answer cannot be read: \(error)")
    }
  }

  /// - Throws: `timedOut` once abandoned, and the connection's errors.
  private func receive(_ isAbandoned: () -> Bool) throws(UnixSocketError) -> Frame {
    while true {
      do throws(UnixSocketError) {
        guard let frame = try connection.receive(deadline: .after(Self.glance)) else { throw .closed() }
        return frame
      } catch {
        guard case .timedOut = error.code, !isAbandoned() else { throw error }
      }
    }
  }

  /// Waits up to `limit` for the broker to close the connection.
  func hasEnded(within limit: Duration) throws(PageError) -> Bool {
    do throws(UnixSocketError) { return try connection.receive(deadline: .after(limit)) == nil } catch {
      if case .timedOut = error.code { return false }
      return true
    }
  }

  func end() { connection.shutdown() }

  private static func lost(_ error: UnixSocketError) -> PageError {
    PageError(.lost, "The connection to the broker failed before its answer: \(error.message)")
  }
}
