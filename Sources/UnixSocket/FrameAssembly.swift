package import Varlink

/// What has been received and not yet handed out, as whole messages with the descriptors that came
/// with each.
///
/// Descriptors belong to the message that the last byte of their receive is part of. The kernel may
/// put bytes of earlier sends before those that carry descriptors, never bytes of a later one
/// behind them; so this is right whenever a send that carries descriptors carries one message from
/// its first byte, as everything here does and Varlink implementations do.
package struct FrameAssembly: ~Copyable, Sendable {
  /// Descriptors that wait for the end of their message.
  private struct Claim {
    /// Which message they belong to, counted from the first of the connection.
    let frame: Int
    let count: Int
  }

  /// The bytes, split into messages.
  package private(set) var decoder: FrameDecoder
  private var takenFrames = 0
  private var descriptors = OwnedDescriptors()
  private var claims: [Claim] = []

  /// How many descriptors may wait; the kernel passes no more than that with one send.
  package static let descriptorLimit = 253

  /// An empty one around a decoder with its limits.
  package init(_ decoder: FrameDecoder = FrameDecoder()) { self.decoder = decoder }

  /// Whether a message has begun and not ended: the stream must not end now.
  package var isInsideMessage: Bool { decoder.isInsideFrame || !claims.isEmpty }

  /// Whether to go on receiving; while false the peer's bytes stay in the kernel.
  package var wantsBytes: Bool { decoder.wantsBytes }

  /// Adds the bytes of one receive.
  ///
  /// - Throws: `messageTooLarge`: close the connection.
  package mutating func append(_ received: UnsafeRawBufferPointer) throws(UnixSocketError) {
    do throws(VarlinkError) {
      try decoder.append(received)
    } catch {
      throw .messageTooLarge(limitBytes: decoder.frameLimitBytes)
    }
  }

  /// Adds the bytes and descriptors of one receive.
  ///
  /// - Throws: `messageTooLarge`, or `descriptorsUnexpected` when too many wait already: close the connection.
  package mutating func append(
    _ received: UnsafeRawBufferPointer,
    descriptors: consuming OwnedDescriptors
  ) throws(UnixSocketError) {
    try append(received)
    guard !descriptors.isEmpty else { return }
    guard !received.isEmpty, self.descriptors.count + descriptors.count <= Self.descriptorLimit else {
      throw .descriptorsUnexpected()
    }
    let last = takenFrames + decoder.pendingFrames - (decoder.isInsideFrame ? 0 : 1)
    claims.append(Claim(frame: last, count: descriptors.count))
    self.descriptors.append(contentsOf: descriptors)
  }

  /// The next whole message; nil when more bytes are needed.
  package mutating func next() -> Frame? {
    guard let bytes = decoder.nextFrame() else { return nil }
    defer { takenFrames += 1 }
    guard !claims.isEmpty else { return Frame(bytes: bytes, descriptors: OwnedDescriptors()) }
    let own = claims.prefix { $0.frame <= takenFrames }
    let count = own.reduce(0) { $0 + $1.count }
    claims.removeFirst(own.count)
    return Frame(bytes: bytes, descriptors: descriptors.takeFirst(count))
  }
}
