import EventLoop
import Varlink

/// Decodes long calls on a thread of its own, so that other calls do not wait. It decodes one at a
/// time, fairly by the time that each user's messages took.
final class LongMessages {
  /// Length in bytes from which a call is decoded here. A shorter one takes less time than a change
  /// of threads.
  static let leastBytes = 16_384

  /// A conversation whose next call was decoded.
  struct Decoded: Sendable {
    let conversation: ServerConversation
    let call: Result<Call?, VarlinkError>
    /// Nil for an unknown method.
    let parameters: Result<any Sendable, VarlinkError>?

    init(_ given: ServerConversation, _ table: MethodTable) {
      var conversation = given
      call = Result { () throws(VarlinkError) in try conversation.nextCall() }
      parameters = (try? call.get()).flatMap { table.decodeParameters(of: $0) }
      self.conversation = conversation
    }
  }

  private let loop: EventLoop
  private let worker: Worker
  private let turns = Turns<Connection>()

  init(on loop: EventLoop) throws(EventLoopError) {
    self.loop = loop
    worker = try Worker(name: "messages")
  }

  /// Queues a connection's next call. The result goes to ``Connection/take(_:)``.
  func add(_ connection: Connection, in lane: Turns<Connection>.Lane) {
    turns.add(connection, in: lane)
    decodeNext()
  }

  func remove(_ connection: Connection, in lane: Turns<Connection>.Lane) { turns.remove(connection, in: lane) }

  private func decodeNext() {
    guard let connection = turns.begin() else { return }
    let (conversation, table) = (connection.lendConversation(), connection.core.table(of: connection))
    do throws(EventLoopError) {
      try worker.run({ Decoded(conversation, table) }, on: loop) { [self] decoded in
        turns.finish()
        connection.take(decoded)
        decodeNext()
      }
    } catch {
      turns.finish()
      connection.close()
    }
  }
}
