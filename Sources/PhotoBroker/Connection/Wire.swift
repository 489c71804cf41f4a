import BrokerInterface
import Monitor
import Synchronization
import UnixSocket
import Varlink

/// One connection to the broker, for the thread that waits on it.
final class Wire: Sendable {
  private let connection: BlockingConnection
  /// The tokens that were attached here, and for which level; nil: the app's own, or one of a level
  /// that this version does not know.
  private let attached = Mutex<[String: AccessLevel?]>([:])

  /// How long a broker whose queue is full may keep us waiting.
  private static let connectTimeout = Duration.seconds(10)
  /// The largest reply: a page of a thousand assets has about 500 KiB.
  private static let replyLimitBytes = 16 << 20

  /// Connects.
  ///
  /// - Throws: `brokerUnavailable`, `connectionLost`.
  init(path: String) throws {
    do {
      connection = try BlockingConnection(path: path, timeout: Self.connectTimeout, limitBytes: Self.replyLimitBytes)
    } catch {
      throw ErrorReader.lost(error)
    }
  }

  /// Calls a method and reads its one reply.
  func call<Method: VarlinkMethod>(_ method: Method.Type, _ parameters: Method.Parameters) throws -> Method.Reply {
    try send(Method.name, parameters)
    return try receive(Method.self).reply
  }

  /// Calls a method that answers with a descriptor: `use` gets the reply and the descriptors beside
  /// it, which are closed after.
  func call<Method: VarlinkMethod, Result>(
    _ method: Method.Type, _ parameters: Method.Parameters,
    use: (Method.Reply, borrowing OwnedDescriptors) throws -> Result
  ) throws -> Result {
    try send(Method.name, parameters)
    let frame = try message()
    let reply = try Self.read(frame.bytes)
    return try use(try Self.decode(Method.Reply.self, from: reply), frame.descriptors)
  }

  /// Calls a method with a descriptor beside it.
  ///
  /// - Throws: also the socket's own `descriptorsRefused`, after which the connection is as good as before.
  func call<Method: VarlinkMethod>(
    _ method: Method.Type, _ parameters: Method.Parameters, handing descriptors: borrowing OwnedDescriptors
  ) throws -> Method.Reply {
    try send(Method.name, parameters, descriptors: descriptors)
    return try receive(Method.self).reply
  }

  /// Calls a method that answers again and again; ``receive(_:)`` takes one answer at a time.
  func follow<Method: VarlinkMethod>(_ method: Method.Type, _ parameters: Method.Parameters) throws {
    try send(Method.name, parameters, more: true)
  }

  /// The next reply, and whether another one follows.
  func receive<Method: VarlinkMethod>(_ method: Method.Type) throws -> (reply: Method.Reply, continues: Bool) {
    let reply = try Self.read(try message().bytes)
    return (try Self.decode(Method.Reply.self, from: reply), reply.continues)
  }

  /// The next reply with the descriptors beside it, which are closed after `use`, and whether another one follows.
  func receive<Method: VarlinkMethod, Result>(
    _ method: Method.Type, use: (Method.Reply, borrowing OwnedDescriptors) throws -> Result
  ) throws -> (Result, continues: Bool) {
    let frame = try message()
    let reply = try Self.read(frame.bytes)
    return (try use(try Self.decode(Method.Reply.self, from: reply), frame.descriptors), reply.continues)
  }

  /// Attaches a token, once.
  ///
  /// - Parameters:
  ///   - level: which one it is for; nil: what the broker says.
  ///   - library: which one it must be for, where it is for one; nil: for any.
  /// - Throws: `tokenRefused`, among others; ``ForeignToken``, with which the connection is of no use.
  func attach(_ token: String, for level: AccessLevel? = nil, of library: String? = nil) throws {
    guard !attached.withLock({ $0.keys.contains(token) }) else { return }
    let answer = try call(Library.Attach.self, .init(token: token))
    if let library, let other = answer.library, other != library {
      throw ForeignToken(library: other)
    }
    noteAttached(token, for: level ?? answer.level.flatMap(AccessLevel.init(rawValue:)))
  }

  /// The token is good, and for another library than the one that was named.
  struct ForeignToken: Error {
    let library: String
  }

  /// The broker attached this token by itself when it handed it out.
  func noteAttached(_ token: String, for level: AccessLevel? = nil) {
    attached.withLock { _ = $0.updateValue(level, forKey: token) }
  }

  /// Whether a token is attached that decides on calls of a level. Adding is part of reading and writing.
  func holdsToken(for level: AccessLevel) -> Bool {
    attached.withLock { $0.values.contains { $0 == level || $0 == .readWrite } }
  }

  /// Whether the broker has closed the connection while nobody was calling, as after its restart.
  var isStale: Bool {
    do throws(UnixSocketError) {
      // Nothing is due now: a message is as wrong as an end.
      _ = try connection.receive(deadline: .after(.zero))
      return true
    } catch {
      return error.code != .timedOut
    }
  }

  /// Ends the connection, from any thread: whoever waits is told that it is lost.
  func hangUp() { connection.shutdown() }

  private func send(
    _ method: String, _ parameters: some VarlinkEncodable, more: Bool = false,
    descriptors: borrowing OwnedDescriptors = OwnedDescriptors()
  ) throws {
    var writer = JSONWriter()
    writer.appendCall(method, parameters, more: more)
    // The connection ends messages itself.
    let message = Array(writer.bytes.dropLast())
    do throws(UnixSocketError) {
      try connection.send(message.span, descriptors: descriptors)
    } catch {
      if error.code == .descriptorsRefused { throw error }
      throw ErrorReader.lost(error)
    }
  }

  private func message() throws -> Frame {
    do throws(UnixSocketError) {
      guard let frame = try connection.receive() else { throw UnixSocketError.closed() }
      return frame
    } catch {
      throw ErrorReader.lost(error)
    }
  }

  private static func read(_ bytes: [UInt8]) throws -> Reply {
    let reply: Reply
    do { reply = try Reply(message: bytes) } catch { throw ErrorReader.badReply(error) }
    if let name = reply.error { throw ErrorReader.error(named: name, in: reply) }
    return reply
  }

  private static func decode<Value: VarlinkDecodable>(_ type: Value.Type, from reply: Reply) throws -> Value {
    do { return try reply.decode(type) } catch { throw ErrorReader.badReply(error) }
  }
}
