import EventLoop
import Varlink

/// Decodes calls that came in long messages, on a thread beside the loop: everybody else's calls go
/// on meanwhile. One is decoded at a time; whose is next goes by the time that each user's have
/// taken.
final class LongMessages {
  /// From how many received bytes on a connection's next call is decoded here; shorter ones take
  /// less time than the way to a thread.
  static let leastBytes = 16_384

  /// A conversation whose next call was taken.
  struct Decoded: Sendable {
    let conversation: ServerConversation
    let call: Result<Call?, VarlinkError>
    /// Nil where its method is not served.
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

  /// Decodes a connection's next call in its turn; the connection is told by ``Connection/take(_:)``.
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
