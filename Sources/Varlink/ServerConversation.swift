/// The state of one connection as its server sees it: bytes in, one call at a time, replies in call order.
///
/// It does no input or output. A call is taken with `nextCall`, and no other is given out until that one has had
/// its last reply, however long the answer takes. What the caller did not ask for is never written: no reply to
/// a oneway call, no `continues` without `more`.
public struct ServerConversation: Sendable {
  private var decoder: FrameDecoder
  /// The call that is being worked on.
  public private(set) var current: Call?

  /// A connection on which nothing was received.
  public init(decoder: FrameDecoder = FrameDecoder()) {
    self.decoder = decoder
  }

  /// Takes in what was received.
  ///
  /// - Throws: `limitExceeded`; the connection must then be closed.
  public mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(VarlinkError) { try decoder.append(bytes) }

  /// Takes in what was received.
  public mutating func receive(_ bytes: [UInt8]) throws(VarlinkError) { try decoder.append(bytes) }

  /// How many whole calls wait, the one that is being worked on not included.
  public var pendingCalls: Int { decoder.pendingFrames }

  /// Whether the caller should go on reading the connection; while false, the peer is slowed down.
  public var wantsBytes: Bool { decoder.wantsBytes }

  /// Whether a call has begun and not ended.
  public var isInsideCall: Bool { decoder.isInsideFrame }

  /// How many bytes are held that were not yet taken as calls.
  public var bufferedBytes: Int { decoder.bufferedBytes }

  /// How many bytes are held in all, the call that is being worked on included.
  public var heldBytes: Int { bufferedBytes + (current?.messageBytes ?? 0) }

  /// Takes the next call; nil while one is being worked on or more bytes are needed.
  ///
  /// - Throws: when the message is no call; the connection must then be closed.
  public mutating func nextCall() throws(VarlinkError) -> Call? {
    guard current == nil, let message = decoder.nextFrame() else { return nil }
    let call = try Call(message: message)
    current = call
    return call
  }

  /// Appends a reply to the current call; without `continues` it is the last one.
  ///
  /// - Throws: `protocolViolation` when there is no current call, or it takes one reply only and `continues` is set.
  public mutating func reply<Parameters: VarlinkEncodable>(
    _ parameters: Parameters, continues: Bool = false, to output: inout JSONWriter
  ) throws(VarlinkError) {
    let call = try answer(continues: continues)
    if !call.oneway { output.appendReply(parameters, continues: continues) }
  }

  /// Appends a reply to the current call whose parameters `body` writes as one object.
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
