public import Limits

/// Splits a byte stream into messages, each ended by a NUL.
///
/// It scans each byte once, however small the received parts are, and moves it at most a constant
/// number of times.
///
/// Source: https://varlink.org/#protocol
public struct FrameDecoder: Sendable {
  /// The longest message in bytes, without its NUL.
  public let frameLimitBytes: Int
  /// The number of pending messages at which `wantsBytes` becomes false.
  public let pendingLimit: Int
  private var buffer: [UInt8] = []
  /// The offset of the first pending message.
  private var start = 0
  /// The offsets of pending NULs, from `nextEnd` on.
  private var ends: [Int] = []
  private var nextEnd = 0

  /// A decoder at the start of a stream.
  public init(frameLimitBytes: Int = WireLimits.frameBytes, pendingLimit: Int = WireLimits.pendingCalls) {
    self.frameLimitBytes = frameLimitBytes
    self.pendingLimit = pendingLimit
  }

  /// The number of whole, pending messages.
  public var pendingFrames: Int { ends.count - nextEnd }

  /// Whether the last message is incomplete, so that the stream must not end here.
  public var isInsideFrame: Bool { buffer.count > (ends.last.map { $0 + 1 } ?? start) }

  /// Whether the caller should read on. While false, the peer's bytes stay in the kernel: a peer
  /// that sends too fast is slowed down, not disconnected.
  public var wantsBytes: Bool {
    pendingFrames == 0 || (pendingFrames < pendingLimit && bufferedBytes < frameLimitBytes)
  }

  /// The number of bytes in memory.
  public var bufferedBytes: Int { buffer.count - start }

  /// Adds received bytes.
  ///
  /// - Throws: `limitExceeded` for a message that is too long, or for more than
  ///   `WireLimits.receivedBytes` in total from a caller that ignores `wantsBytes`. Close the
  ///   connection; the decoder is unusable from then on.
  public mutating func append(_ received: UnsafeRawBufferPointer) throws(VarlinkError) {
    if bufferedBytes + received.count > max(WireLimits.receivedBytes, frameLimitBytes + 1) {
      throw .limitExceeded("the number of received bytes that wait", limit: WireLimits.receivedBytes)
    }
    compact()
    var scanned = buffer.count
    buffer.append(contentsOf: received)
    var open = ends.last.map { $0 + 1 } ?? start
    while let end = Self.nul(in: buffer, from: scanned) {
      if end - open > frameLimitBytes { throw tooLong }
      ends.append(end)
      scanned = end + 1
      open = scanned
    }
    if buffer.count - open > frameLimitBytes { throw tooLong }
  }

  /// Adds received bytes.
  public mutating func append(_ received: [UInt8]) throws(VarlinkError) {
    try received.span.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws(VarlinkError) in try append(bytes) }
  }

  /// Takes the oldest whole message, without its NUL; nil if more bytes are needed.
  public mutating func nextFrame() -> [UInt8]? {
    guard nextEnd < ends.count else { return nil }
    let end = ends[nextEnd]
    let frame = [UInt8](buffer[start..<end])
    nextEnd += 1
    start = end + 1
    if start == buffer.count {
      // Frees the memory of a large message.
      buffer.removeAll(keepingCapacity: buffer.capacity <= 1 << 16)
      ends.removeAll(keepingCapacity: true)
      start = 0
      nextEnd = 0
    }
    return frame
  }

  private var tooLong: VarlinkError { .limitExceeded("the length of a message in bytes", limit: frameLimitBytes) }

  /// Drops taken bytes once they are half of the buffer, so that each byte moves once on average.
  private mutating func compact() {
    guard start > 0, start >= buffer.count - start else { return }
    let dropped = start
    buffer.removeSubrange(..<dropped)
    ends.removeSubrange(..<nextEnd)
    for index in ends.indices { ends[index] -= dropped }
    nextEnd = 0
    start = 0
  }

  private static func nul(in buffer: [UInt8], from offset: Int) -> Int? {
    buffer.withUnsafeBytes { bytes in
      var index = offset
      while bytes.count - index >= 8 {
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        let zeros = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
        if zeros != 0 { return index + zeros.trailingZeroBitCount >> 3 }
        index += 8
      }
      while index < bytes.count {
        if bytes[index] == 0 { return index }
        index += 1
      }
      return nil
    }
  }
}
