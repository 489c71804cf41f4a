/// What has been received and not yet handed out: bytes up to a NUL are one message.
///
/// A descriptor belongs to the message whose bytes it came with. The kernel never merges what two sends carried when
/// descriptors are among them, so those that arrive while a message is incomplete are its own.
struct FrameAssembly: ~Copyable {
  private var bytes: [UInt8] = []
  /// Where the next message starts in `bytes`, and how far it has been searched for its NUL.
  private var start = 0
  private var searched = 0
  private var descriptors = OwnedDescriptors()
  private let limitBytes: Int

  init(limitBytes: Int) { self.limitBytes = limitBytes }

  /// Whether a message has begun and not ended.
  var isInsideMessage: Bool { start < bytes.count || !descriptors.isEmpty }

  /// Adds received bytes and the descriptors that came with the first of them.
  mutating func append(_ received: Span<UInt8>, descriptors: consuming OwnedDescriptors) {
    if start > 0 {
      bytes.removeSubrange(..<start)
      searched -= start
      start = 0
    }
    received.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    self.descriptors.append(contentsOf: descriptors)
  }

  /// The next whole message; nil when more bytes are needed.
  ///
  /// - Throws: `messageTooLarge`.
  mutating func next() throws(UnixSocketError) -> Frame? {
    guard let end = bytes[searched...].firstIndex(of: 0) else {
      searched = bytes.count
      guard bytes.count - start <= limitBytes else { throw .messageTooLarge(limitBytes: limitBytes) }
      return nil
    }
    guard end - start <= limitBytes else { throw .messageTooLarge(limitBytes: limitBytes) }
    let message = Array(bytes[start..<end])
    start = end + 1
    searched = start
    return Frame(bytes: message, descriptors: descriptors.takeAll())
  }
}
