import Monitor
import Supervisor
import UnixSocket

/// The worker closed its socket instead of answering.
struct EndOfAnswers: Error {}

enum Exchange {
  /// Sends a request; nil if the worker closed the socket.
  ///
  /// - Parameters:
  ///   - patience: The time for which an unwanted answer is still awaited, because restarting the
  ///     worker takes time, too.
  ///   - isWanted: Called at intervals.
  /// - Throws: `CallAbandoned` if the answer is not wanted any more; the connection's errors.
  static func ask(
    _ connection: BlockingConnection, _ request: String, descriptors: borrowing OwnedDescriptors = OwnedDescriptors(),
    sequence: UInt64,
    patience: Duration = .zero, isWanted: () -> Bool = { true }
  ) throws -> AnswerReader? {
    // Operation, sequence number, then the rest.
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
