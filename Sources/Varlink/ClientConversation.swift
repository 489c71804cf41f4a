/// The state of one connection as its client sees it: calls out, replies matched to them in order.
public struct ClientConversation: Sendable {
  private var decoder: FrameDecoder
  /// For each call that waits for a reply, whether it accepts several; the oldest first.
  private var waiting: [Bool] = []

  /// A connection on which nothing was sent.
  public init(decoder: FrameDecoder = FrameDecoder()) {
    self.decoder = decoder
  }

  /// How many calls wait for their last reply.
  public var waitingCalls: Int { waiting.count }

  /// Appends a call.
  public mutating func call<Parameters: VarlinkEncodable>(
    _ method: String, _ parameters: Parameters, oneway: Bool = false, more: Bool = false, to output: inout JSONWriter
  ) {
    output.appendCall(method, parameters, oneway: oneway, more: more)
    if !oneway { waiting.append(more) }
  }

  /// Takes in what was received.
  ///
  /// - Throws: `limitExceeded`; the connection must then be closed.
  public mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(VarlinkError) { try decoder.append(bytes) }

  /// Takes in what was received.
  public mutating func receive(_ bytes: [UInt8]) throws(VarlinkError) { try decoder.append(bytes) }

  /// Takes the next reply, which belongs to the oldest call that waits; nil when more bytes are needed.
  ///
  /// - Throws: when the message is no reply, or none was expected; the connection must then be closed.
  public mutating func nextReply() throws(VarlinkError) -> Reply? {
    guard let message = decoder.nextFrame() else { return nil }
    let reply = try Reply(message: message)
    guard let more = waiting.first else { throw .protocolViolation("a reply came to no call") }
    if reply.continues && !more { throw .protocolViolation("a reply continues, which the call did not accept") }
    if !reply.continues { waiting.removeFirst() }
    return reply
  }
}
