import Monitor
import Supervisor
import UnixSocket

/// The worker closed its socket instead of answering.
struct EndOfAnswers: Error {}

/// One request and one answer.
enum Exchange {
  /// nil when the worker closed the socket.
  /// - Parameters:
  ///   - patience: How long an answer is waited for that nobody wants: starting a worker anew takes a while too.
  ///   - isWanted: Asked now and then.
  /// - Throws: `CallAbandoned` where nobody waits for the answer any more; what the connection throws.
  static func ask(
    _ connection: BlockingConnection, _ request: String, descriptors: borrowing OwnedDescriptors = OwnedDescriptors(),
    sequence: UInt64,
    patience: Duration = .zero, isWanted: () -> Bool = { true }
  ) throws -> AnswerReader? {
    // The operation's word comes first, then the sequence number, then the rest.
    let words = request.split(separator: " ", maxSplits: 1)
    let message = ([words.first ?? "", Substring(String(sequence))] + words.dropFirst()).joined(separator: " ")
    try connection.send(Array(message.utf8).span, descriptors: descriptors)
    guard let frame = try answer(connection, .after(patience), isWanted) else { return nil }
    guard frame.descriptors.isEmpty else { throw AnswerError("descriptors") }
    return try AnswerReader(frame.bytes, sequence: sequence)
  }

  private static func answer(
    _ connection: BlockingConnection, _ patience: MonotonicTime, _ isWanted: () -> Bool
  ) throws -> Frame? {
    while true {
      do throws(UnixSocketError) { return try connection.receive(deadline: .after(.milliseconds(100))) } catch {
        guard error.code == .timedOut else { throw error }
        if patience.hasPassed, !isWanted() { throw CallAbandoned() }
      }
    }
  }
}
