package import Varlink

/// Assembles received bytes and descriptors into messages.
///
/// Descriptors belong to the message that has the last byte of their receive. The kernel may add
/// bytes of earlier sends before those with descriptors, but never bytes of later sends after them.
/// So this is correct if a send with descriptors holds a single message from its first byte. This
/// module and Varlink implementations send that way.
package struct FrameAssembly: ~Copyable, Sendable {
  /// Descriptors of a message that is not complete.
  private struct Claim {
    /// The number of their message, counted from the first of the connection.
    let frame: Int
    let count: Int
  }

  /// The decoder of the bytes.
  package private(set) var decoder: FrameDecoder
  private var takenFrames = 0
  private var descriptors = OwnedDescriptors()
  private var claims: [Claim] = []

  /// The most descriptors that may wait; also the kernel's limit for one send.
  package static let descriptorLimit = 253

  package init(_ decoder: FrameDecoder = FrameDecoder()) { self.decoder = decoder }

  /// Whether a message is incomplete, so that the stream must not end now.
  package var isInsideMessage: Bool { decoder.isInsideFrame || !claims.isEmpty }

  /// Adds the bytes of one receive.
  ///
  /// - Throws: `messageTooLarge`; close the connection.
  package mutating func append(_ received: UnsafeRawBufferPointer) throws(UnixSocketError) {
    do throws(VarlinkError) {
      try decoder.append(received)
    } catch {
      throw .messageTooLarge(limitBytes: decoder.frameLimitBytes)
    }
  }

  /// Adds the bytes and descriptors of one receive.
  ///
  /// - Throws: `messageTooLarge`; `descriptorsUnexpected` for too many waiting descriptors. Close
  ///   the connection.
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

  /// Takes the next whole message; nil if more bytes are needed.
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
