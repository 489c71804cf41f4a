/// What has been received and not yet handed out: bytes up to a NUL are one message, with the descriptors that came with it.
///
/// Descriptors belong to the message that the last byte of their receive is part of. The kernel may put bytes of earlier
/// sends before those that carry descriptors, never bytes of a later one behind them; so this is right whenever a send
/// that carries descriptors carries one message from its first byte, as everything here does and Varlink implementations do.
package struct FrameAssembly: ~Copyable, Sendable {
  /// Descriptors that wait for the end of their message.
  private struct Claim {
    /// Where in `bytes` the last byte is that they came with.
    var position: Int
    let count: Int
  }

  private var bytes: [UInt8] = []
  /// Where the next message starts in `bytes`, and how far it has been searched for its NUL.
  private var start = 0
  private var searched = 0
  private var descriptors = OwnedDescriptors()
  private var claims: [Claim] = []
  private let limitBytes: Int

  /// How many descriptors may wait; the kernel passes no more than that with one send.
  package static let descriptorLimit = 253

  /// An empty one, for messages of at most `limitBytes` without their NUL.
  package init(limitBytes: Int) { self.limitBytes = limitBytes }

  /// Whether a message has begun and not ended.
  package var isInsideMessage: Bool { start < bytes.count || !claims.isEmpty }

  /// Adds the bytes and descriptors of one receive.
  ///
  /// - Throws: `descriptorsUnexpected` when too many wait already; all are closed with this value.
  package mutating func append(_ received: Span<UInt8>, descriptors: consuming OwnedDescriptors) throws(UnixSocketError) {
    if start > 0 {
      bytes.removeSubrange(..<start)
      searched -= start
      for index in claims.indices { claims[index].position -= start }
      start = 0
    }
    received.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    guard !descriptors.isEmpty else { return }
    guard !received.isEmpty, self.descriptors.count + descriptors.count <= Self.descriptorLimit else {
      throw .descriptorsUnexpected()
    }
    claims.append(Claim(position: bytes.count - 1, count: descriptors.count))
    self.descriptors.append(contentsOf: descriptors)
  }

  /// The next whole message; nil when more bytes are needed.
  ///
  /// - Throws: `messageTooLarge`.
  package mutating func next() throws(UnixSocketError) -> Frame? {
    guard let end = bytes[searched...].firstIndex(of: 0) else {
      searched = bytes.count
      guard bytes.count - start <= limitBytes else { throw .messageTooLarge(limitBytes: limitBytes) }
      return nil
    }
    guard end - start <= limitBytes else { throw .messageTooLarge(limitBytes: limitBytes) }
    let message = Array(bytes[start..<end])
    start = end + 1
    searched = start
    let own = claims.prefix { $0.position <= end }
    let count = own.reduce(0) { $0 + $1.count }
    claims.removeFirst(own.count)
    return Frame(bytes: message, descriptors: descriptors.takeFirst(count))
  }
}
