import Limits
import Monitor
import UnixSocket
import Varlink

/// One connection to the owners' socket, for calls one after the other.
final class BrokerLink: Sendable {
  private let connection: BlockingConnection

  /// How long the broker may keep us waiting before it takes the connection.
  private static let connectTimeout = Duration.seconds(5)
  /// How often whoever waits is looked at.
  private static let glance = Duration.milliseconds(200)

  /// - Throws: `unavailable`.
  init(path: String) throws(PageError) {
    do { connection = try BlockingConnection(path: path, timeout: Self.connectTimeout) } catch {
      throw PageError(.unavailable, "The broker cannot be reached: \(error.message)")
    }
  }

  /// Calls a method; its answer may be one of the interface's errors.
  ///
  /// - Throws: `unavailable`, `lost`, `badReply`, `abandoned`: the connection is of no further use.
  func call(
    _ method: String, _ parameters: some VarlinkEncodable, more: Bool = false, isAbandoned: () -> Bool = { false }
  ) throws(PageError) -> Reply {
    try send(method, parameters, more: more)
    return try next(isAbandoned)
  }

  /// Calls a method that answers with a descriptor beside its words: `read` gets both; the descriptor is closed after.
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

  private func send(_ method: String, _ parameters: some VarlinkEncodable, more: Bool) throws(PageError) {
    var writer = JSONWriter()
    writer.appendCall(method, parameters, more: more)
    // The connection ends messages itself.
    let message = Array(writer.bytes.dropLast())
    guard message.count <= WireLimits.frameBytes else {
      throw PageError(.badRequest, "The request is too long; use several.")
    }
    // A message without its end is none for the broker.
    do throws(UnixSocketError) { try connection.send(message.span) } catch {
      throw PageError(.unavailable, "The broker is gone: \(error.message)")
    }
  }

  /// The next answer to a call with `more`; waits for it as long as somebody does.
  func next(_ isAbandoned: () -> Bool = { false }) throws(PageError) -> Reply {
    try Self.reply(try frame(isAbandoned).bytes)
  }

  private func frame(_ isAbandoned: () -> Bool) throws(PageError) -> Frame {
    do throws(UnixSocketError) { return try receive(isAbandoned) } catch {
      guard case .timedOut = error.code else { throw Self.lost(error) }
      throw PageError(.abandoned, "Nobody waits for this answer any more.")
    }
  }

  private static func reply(_ bytes: [UInt8]) throws(PageError) -> Reply {
    do { return try Reply(message: bytes) } catch {
      throw PageError(.badReply, "The broker's answer cannot be read: \(error)")
    }
  }

  /// - Throws: `timedOut` once it is abandoned; else as the connection does.
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

  /// Whether the broker closed the connection, which tells nothing more; waits so long to see.
  func hasEnded(within limit: Duration) throws(PageError) -> Bool {
    do throws(UnixSocketError) { return try connection.receive(deadline: .after(limit)) == nil } catch {
      if case .timedOut = error.code { return false }
      return true
    }
  }

  func end() { connection.shutdown() }

  private static func lost(_ error: UnixSocketError) -> PageError {
    PageError(.lost, "The broker is gone without an answer: \(error.message)")
  }
}
