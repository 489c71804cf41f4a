import Limits
import UnixSocket
import Varlink

/// The received bytes and descriptors of one connection, up to the call that is served now.
struct CallInput: ~Copyable {
  var conversation = ServerConversation()
  private var descriptors = ReceivedDescriptors()
  /// Number of calls that were begun.
  private var begun: UInt64 = 0
  private var decoded: LongMessages.Decoded?
  /// Whether a worker decodes the next call, which is a long message.
  private(set) var isDecoding = false
  /// Bytes of the conversation while the worker has it.
  private var lentBytes = 0

  var heldBytes: Int { conversation.heldBytes + lentBytes }

  /// Whether no call is running or being decoded.
  var isIdle: Bool { conversation.current == nil && !isDecoding }

  /// Whether the next call has arrived, and the previous one has its last reply.
  var hasNext: Bool { decoded != nil || isIdle && conversation.pendingCalls > 0 }

  /// Number of calls that have arrived so far.
  var arrived: UInt64 { begun + UInt64(conversation.pendingCalls) }

  /// Whether there is room for one more call with the most descriptors that it can use. Without
  /// room, further calls are read only after one was begun. The rest of a partly read call is read
  /// in any case.
  var hasRoomAhead: Bool {
    conversation.pendingCalls == 0
      || descriptors.count(after: begun) + ServiceLimits.createdAssets <= ServiceLimits.descriptorsPerConnection
  }

  /// Keeps the descriptors of one read for the calls with bytes in it.
  /// - Parameter known: Number of calls that had arrived before the read.
  mutating func append(_ came: consuming OwnedDescriptors, after known: UInt64) throws(VarlinkError) {
    let last = arrived + (conversation.isInsideCall ? 1 : 0)
    descriptors.append(came, beside: known + 1...max(last, known + 1))
    guard descriptors.count(after: begun) <= ServiceLimits.descriptorsPerConnection else {
      throw VarlinkError.limitExceeded(
        "the number of descriptors that wait", limit: ServiceLimits.descriptorsPerConnection)
    }
  }

  /// Whether a worker has to decode the next call. If so, nothing is read until it has.
  mutating func needsWorker() -> Bool {
    isDecoding = decoded == nil && conversation.bufferedBytes >= LongMessages.leastBytes
    return isDecoding
  }

  /// The next call, with its parameters if a worker decoded them; nil if none has arrived.
  mutating func next() throws(VarlinkError) -> (call: Call, parameters: Result<any Sendable, VarlinkError>?)? {
    if let decoded = decoded.take() { return try decoded.call.get().map { ($0, decoded.parameters) } }
    guard let call = try conversation.nextCall() else { return nil }
    begun += 1
    return (call, nil)
  }

  /// The conversation, for a worker that decodes its next call.
  mutating func lend() -> ServerConversation {
    defer { conversation = ServerConversation() }
    lentBytes = conversation.heldBytes
    return conversation
  }

  mutating func take(_ decoded: LongMessages.Decoded) {
    isDecoding = false
    lentBytes = 0
    conversation = decoded.conversation
    begun += 1
    self.decoded = decoded
  }

  mutating func takeDescriptor() -> FileDescriptor? { descriptors.take(for: begun) }

  /// Removes the descriptors that no later call can take.
  mutating func dropDescriptors() -> OwnedDescriptors { descriptors.drop(upTo: begun) }

  mutating func takeDescriptors() -> OwnedDescriptors { descriptors.takeAll() }
}
