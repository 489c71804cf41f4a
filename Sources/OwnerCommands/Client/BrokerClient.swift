import BrokerInterface
import Limits
import Monitor
import UnixSocket
import Varlink

/// A connection to the broker. Calls are made one after the other.
final class BrokerClient {
  let path: String
  private let connection: BlockingConnection
  private let deadline: MonotonicTime

  private static let connectTimeout = Duration.seconds(10)

  /// - Parameter patience: How long all calls together may take; nil: for ever.
  /// - Throws: `unavailable` or `notPermitted`; the message says how to start the daemon.
  init(path: String, patience: Duration? = nil) throws(CommandError) {
    self.path = path
    deadline = patience.map { .after($0) } ?? .never
    do {
      connection = try BlockingConnection(path: path, timeout: patience ?? Self.connectTimeout)
    } catch {
      throw .unreachable(error, path: path)
    }
  }

  /// Calls a method that has one reply.
  ///
  /// The broker takes no descriptors from a pending connection. GetStatus is called before a call
  /// with some, because its reply shows that the broker accepted this connection.
  /// - Throws: the error reply; `badReply`, `unavailable`.
  func call<Method: VarlinkMethod>(
    _ method: Method.Type, _ parameters: Method.Parameters, files: borrowing OwnedDescriptors = OwnedDescriptors()
  ) throws(CommandError) -> Answer<Method.Reply> {
    if !files.isEmpty { _ = try call(Admin.GetStatus.self, .init()) }
    try send(Method.name, parameters, more: false, files: files)
    return try read(Method.Reply.self, from: receive())
  }

  /// Calls a method whose reply carries one descriptor.
  ///
  /// - Throws: as `call`; `badReply` unless exactly one descriptor arrives.
  func callForFile<Method: VarlinkMethod>(
    _ method: Method.Type, _ parameters: Method.Parameters
  ) throws(CommandError) -> (answer: Answer<Method.Reply>, file: SharedDescriptors) {
    try send(Method.name, parameters, more: false)
    var frame = try frame()
    let descriptors = SharedDescriptors(frame.descriptors.takeAll())
    let answer = try read(Method.Reply.self, from: parse(frame.bytes))
    guard descriptors.contents.count == 1 else {
      throw CommandError(
        .badReply,
        "The broker sent no file with its answer. Check that photobroker and photobrokerd have the same version.")
    }
    return (answer, descriptors)
  }

  /// Calls a method with a stream of replies, until the last one or until `isDone` returns true.
  ///
  /// After an early end the connection cannot be used for further calls.
  /// - Throws: as `call`.
  func follow<Method: VarlinkMethod>(
    _ method: Method.Type, _ parameters: Method.Parameters,
    until isDone: (Answer<Method.Reply>) throws(CommandError) -> Bool
  ) throws(CommandError) {
    try send(Method.name, parameters, more: true)
    while true {
      let reply = try parse(frame(orElse: CommandError.tellsNoMore).bytes)
      if try isDone(try read(Method.Reply.self, from: reply)) || !reply.continues { return }
    }
  }

  /// Calls any method with any parameters and descriptors, and passes each reply's JSON to `each`.
  ///
  /// - Throws: as `call`.
  func callRaw(
    _ method: String, _ parameters: JSONObject, more: Bool, files: borrowing OwnedDescriptors, each: ([UInt8]) -> Void
  ) throws(CommandError) {
    if !files.isEmpty { _ = try call(VarlinkService.GetInfo.self, .init()) }
    try send(method, parameters, more: more, files: files)
    var continues = true
    while continues {
      let reply = try receive()
      continues = reply.continues
      each(reply.rawParameters)
    }
  }

  private func send(
    _ method: String, _ parameters: some VarlinkEncodable, more: Bool,
    files: borrowing OwnedDescriptors = OwnedDescriptors()
  ) throws(CommandError) {
    var writer = JSONWriter()
    writer.appendCall(method, parameters, more: more)
    // The connection adds the NUL terminator itself.
    let message = writer.bytes.dropLast()
    guard message.count <= WireLimits.frameBytes else {
      throw .usage(
        "The request is longer than \(Words.bytes(Int64(WireLimits.frameBytes))). Use several commands, or a filter "
          + "such as --glob."
      )
    }
    do { try connection.send(Array(message).span, descriptors: files) } catch { throw .lost(error) }
  }

  private func receive() throws(CommandError) -> Reply { try parse(frame().bytes) }

  private func parse(_ bytes: [UInt8]) throws(CommandError) -> Reply {
    let reply: Reply
    do { reply = try Reply(message: bytes) } catch { throw .badReply(error) }
    if let name = reply.error { throw .answered(name, reply) }
    return reply
  }

  private func frame(orElse lost: (UnixSocketError) -> CommandError = CommandError.lost) throws(CommandError) -> Frame {
    do throws(UnixSocketError) {
      guard let frame = try connection.receive(deadline: deadline) else { throw UnixSocketError.closed() }
      return frame
    } catch {
      throw lost(error)
    }
  }

  private func read<Value: VarlinkDecodable>(_ type: Value.Type, from reply: Reply) throws(CommandError) -> Answer<
    Value
  > {
    do { return Answer(value: try reply.decode(type), json: reply.rawParameters) } catch { throw .badReply(error) }
  }
}
