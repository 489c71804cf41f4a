import BrokerInterface
import Monitor
import Synchronization
import UnixSocket
import Varlink

final class Wire: Sendable {
  private let connection: BlockingConnection
  /// The attached tokens with their levels. Nil stands for the app's own token, and for a level
  /// that this version does not know.
  private let attached = Mutex<[String: AccessLevel?]>([:])

  /// A broker with a full queue of pending connections delays connecting.
  private static let connectTimeout = Duration.seconds(10)
  /// The largest reply. A page of a thousand assets has about 500 KiB.
  private static let replyLimitBytes = 16 << 20

  /// - Throws: `brokerUnavailable`, `connectionLost`.
  init(path: String) throws {
    do {
      connection = try BlockingConnection(path: path, timeout: Self.connectTimeout, limitBytes: Self.replyLimitBytes)
    } catch {
      throw ErrorReader.lost(error)
    }
  }

  /// Calls a method that answers with a descriptor. `use` gets the reply and its descriptors, which
  /// are closed afterwards.
  func call<Method: VarlinkMethod, Result>(
    _ method: Method.Type, _ parameters: Method.Parameters,
    use: (Method.Reply, borrowing OwnedDescriptors) throws -> Result
  ) throws -> Result {
    try send(Method.name, parameters)
    return try receive(method, use: use).0
  }

  /// Calls a method, with descriptors beside the message if there are some.
  ///
  /// - Throws: also the socket's `descriptorsRefused`, after which the connection can still be
  ///   used.
  func call<Method: VarlinkMethod>(
    _ method: Method.Type, _ parameters: Method.Parameters,
    handing descriptors: borrowing OwnedDescriptors = OwnedDescriptors()
  ) throws -> Method.Reply {
    try send(Method.name, parameters, descriptors: descriptors)
    return try receive(Method.self).reply
  }

  /// Calls a method with several replies; ``receive(_:)`` reads one of them.
  func follow<Method: VarlinkMethod>(_ method: Method.Type, _ parameters: Method.Parameters) throws {
    try send(Method.name, parameters, more: true)
  }

  func receive<Method: VarlinkMethod>(_ method: Method.Type) throws -> (reply: Method.Reply, continues: Bool) {
    try receive(method) { reply, _ in reply }
  }

  /// Reads the next reply with its descriptors, which are closed after `use`.
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
  ///   - level: the token's level; nil means the level in the broker's answer.
  ///   - library: the library that a grant's token must be for; nil accepts any.
  /// - Throws: `tokenRefused`, among others; ``ForeignToken``, after which the connection must not
  ///   be used.
  func attach(_ token: String, for level: AccessLevel? = nil, of library: String? = nil) throws {
    guard !attached.withLock({ $0.keys.contains(token) }) else { return }
    let answer = try call(Library.Attach.self, .init(token: token))
    if let library, let other = answer.library, other != library {
      throw ForeignToken(library: other)
    }
    noteAttached(token, for: level ?? answer.level.flatMap(AccessLevel.init(rawValue:)))
  }

  struct ForeignToken: Error {
    let library: String
  }

  /// Notes a token that the broker attached itself when it issued the token.
  func noteAttached(_ token: String, for level: AccessLevel? = nil) {
    attached.withLock { _ = $0.updateValue(level, forKey: token) }
  }

  /// Whether an attached token authorizes calls of a level. `readWrite` includes adding.
  func holdsToken(for level: AccessLevel) -> Bool {
    attached.withLock { $0.values.contains { $0 == level || $0 == .readWrite } }
  }

  /// Whether the broker closed the idle connection, as after its restart.
  var isStale: Bool {
    do throws(UnixSocketError) {
      // No reply is due, so a message is as wrong as an end.
      _ = try connection.receive(deadline: .after(.zero))
      return true
    } catch {
      return error.code != .timedOut
    }
  }

  /// Ends the connection, from any thread. Blocked calls fail with `connectionLost`.
  func hangUp() { connection.shutdown() }

  private func send(
    _ method: String, _ parameters: some VarlinkEncodable, more: Bool = false,
    descriptors: borrowing OwnedDescriptors = OwnedDescriptors()
  ) throws {
    var writer = JSONWriter()
    writer.appendCall(method, parameters, more: more)
    // `send` adds the terminating zero byte itself.
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
