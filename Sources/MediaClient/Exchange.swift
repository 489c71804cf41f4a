import UnixSocket

/// The worker closed its socket instead of answering.
struct EndOfAnswers: Error {}

/// One request and one answer.
enum Exchange {
  /// nil when the worker closed the socket.
  static func ask(
    _ connection: BlockingConnection, _ request: String, descriptors: borrowing OwnedDescriptors = OwnedDescriptors(), sequence: UInt64
  ) throws -> AnswerReader? {
    // The operation's word comes first, then the sequence number, then the rest.
    let words = request.split(separator: " ", maxSplits: 1)
    let message = ([words.first ?? "", Substring(String(sequence))] + words.dropFirst()).joined(separator: " ")
    try connection.send(Array(message.utf8).span, descriptors: descriptors)
    guard let frame = try connection.receive() else { return nil }
    guard frame.descriptors.isEmpty else { throw AnswerError("descriptors") }
    return try AnswerReader(frame.bytes, sequence: sequence)
  }
}
