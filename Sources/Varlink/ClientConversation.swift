/// The client's state of one connection: sent calls, and replies matched to them in order.
public struct ClientConversation: Sendable {
  private var decoder: FrameDecoder
  /// For each call that waits for a reply, oldest first: whether it accepts several.
  private var waiting: [Bool] = []

  /// A conversation at the start of a connection.
  public init(decoder: FrameDecoder = FrameDecoder()) {
    self.decoder = decoder
  }

  /// The number of calls that wait for their last reply.
  public var waitingCalls: Int { waiting.count }

  /// Appends a call to `output`.
  public mutating func call<Parameters: VarlinkEncodable>(
    _ method: String, _ parameters: Parameters, oneway: Bool = false, more: Bool = false, to output: inout JSONWriter
  ) {
    output.appendCall(method, parameters, oneway: oneway, more: more)
    if !oneway { waiting.append(more) }
  }

  /// Adds received bytes.
  ///
  /// - Throws: `limitExceeded`; close the connection.
  public mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(VarlinkError) { try decoder.append(bytes) }

  /// Adds received bytes.
  public mutating func receive(_ bytes: [UInt8]) throws(VarlinkError) { try decoder.append(bytes) }

  /// Takes the next reply, which belongs to the oldest waiting call; nil if more bytes are needed.
  ///
  /// - Throws: `protocolViolation` or a JSON error if the message is not an expected reply; close
  ///   the connection.
  public mutating func nextReply() throws(VarlinkError) -> Reply? {
    guard let message = decoder.nextFrame() else { return nil }
    let reply = try Reply(message: message)
    guard let more = waiting.first else { throw .protocolViolation("a reply came to no call") }
    if reply.continues && !more { throw .protocolViolation("a reply continues, which the call did not accept") }
    if !reply.continues { waiting.removeFirst() }
    return reply
  }
}
