/// The server's state of one connection: received bytes, one call at a time, replies in call order.
///
/// It does no input or output. `nextCall` takes a call only after the last reply to the previous
/// one. It never writes a reply to a oneway call, nor `continues` without `more`.
public struct ServerConversation: Sendable {
  private var decoder: FrameDecoder
  /// The call in progress.
  public private(set) var current: Call?

  /// A conversation at the start of a connection.
  public init(decoder: FrameDecoder = FrameDecoder()) {
    self.decoder = decoder
  }

  /// Adds received bytes.
  ///
  /// - Throws: `limitExceeded`; close the connection.
  public mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(VarlinkError) { try decoder.append(bytes) }

  /// The number of whole, pending calls, without the current one.
  public var pendingCalls: Int { decoder.pendingFrames }

  /// Whether the caller should read on. While false, the peer is slowed down.
  public var wantsBytes: Bool { decoder.wantsBytes }

  /// Whether the last received call is incomplete.
  public var isInsideCall: Bool { decoder.isInsideFrame }

  /// The bytes in memory of calls not yet taken.
  public var bufferedBytes: Int { decoder.bufferedBytes }

  /// The bytes in memory, with the current call.
  public var heldBytes: Int { bufferedBytes + (current?.messageBytes ?? 0) }

  /// Takes the next call; nil while another is in progress, or if more bytes are needed.
  ///
  /// - Throws: `protocolViolation` or a JSON error if the message is not a call; close the
  ///   connection.
  public mutating func nextCall() throws(VarlinkError) -> Call? {
    guard current == nil, let message = decoder.nextFrame() else { return nil }
    let call = try Call(message: message)
    current = call
    return call
  }

  /// Appends a reply to the current call. Without `continues` it is the last one.
  ///
  /// - Throws: `protocolViolation` if there is no current call, or if `continues` is set and the
  ///   call accepts only one reply.
  public mutating func reply<Parameters: VarlinkEncodable>(
    _ parameters: Parameters, continues: Bool = false, to output: inout JSONWriter
  ) throws(VarlinkError) {
    let call = try answer(continues: continues)
    if !call.oneway { output.appendReply(parameters, continues: continues) }
  }

  /// Appends a reply to the current call; `body` writes the parameters as one object.
  public mutating func reply(
    continues: Bool = false, to output: inout JSONWriter, _ body: (inout JSONWriter) -> Void
  ) throws(VarlinkError) {
    let call = try answer(continues: continues)
    if !call.oneway { output.appendReply(continues: continues, body) }
  }

  /// Appends an error as the last reply to the current call.
  public mutating func fail<Failure: MethodError>(_ error: Failure, to output: inout JSONWriter) throws(VarlinkError) {
    let call = try answer(continues: false)
    if !call.oneway { output.appendError(error) }
  }

  private mutating func answer(continues: Bool) throws(VarlinkError) -> Call {
    guard let call = current else { throw .protocolViolation("there is no call to answer") }
    if continues && !call.more { throw .protocolViolation("the call accepts one reply only") }
    if !continues { current = nil }
    return call
  }
}
