public import Limits

/// Splits a stream of bytes into messages, each ended by a NUL.
///
/// Every byte is looked at once, however small the pieces in which it arrives, and moved at most a constant
/// number of times.
///
/// Source: https://varlink.org/#protocol
public struct FrameDecoder: Sendable {
  /// The longest message, without its NUL.
  public let frameLimitBytes: Int
  /// From how many waiting messages on no more bytes are wanted.
  public let pendingLimit: Int
  private var buffer: [UInt8] = []
  /// Where the first message that was not taken begins.
  private var start = 0
  /// The offsets of the NULs that were found, from `nextEnd` on.
  private var ends: [Int] = []
  private var nextEnd = 0

  /// A decoder with nothing received.
  public init(frameLimitBytes: Int = WireLimits.frameBytes, pendingLimit: Int = WireLimits.pendingCalls) {
    self.frameLimitBytes = frameLimitBytes
    self.pendingLimit = pendingLimit
  }

  /// How many whole messages wait to be taken.
  public var pendingFrames: Int { ends.count - nextEnd }

  /// Whether a message has begun and not ended: the stream must not end now.
  public var isInsideFrame: Bool { buffer.count > (ends.last.map { $0 + 1 } ?? start) }

  /// Whether the caller should go on reading the stream. While this is false the peer's bytes stay in the kernel:
  /// one who sends faster than we answer is slowed down, not cut off.
  public var wantsBytes: Bool {
    pendingFrames == 0 || (pendingFrames < pendingLimit && bufferedBytes < frameLimitBytes)
  }

  /// How many bytes are held.
  public var bufferedBytes: Int { buffer.count - start }

  /// Takes in what was received.
  ///
  /// - Throws: `limitExceeded` for a message that is too long, or for more than `WireLimits.receivedBytes` in all,
  ///   which needs a caller that disregards `wantsBytes`. The connection must then be closed; the decoder is of no
  ///   further use.
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

  /// Takes in what was received.
  public mutating func append(_ received: [UInt8]) throws(VarlinkError) {
    try received.span.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws(VarlinkError) in try append(bytes) }
  }

  /// Takes the oldest whole message, without its NUL; nil when more bytes are needed.
  public mutating func nextFrame() -> [UInt8]? {
    guard nextEnd < ends.count else { return nil }
    let end = ends[nextEnd]
    let frame = [UInt8](buffer[start..<end])
    nextEnd += 1
    start = end + 1
    if start == buffer.count {
      // A buffer that once held a large message is not kept.
      buffer.removeAll(keepingCapacity: buffer.capacity <= 1 << 16)
      ends.removeAll(keepingCapacity: true)
      start = 0
      nextEnd = 0
    }
    return frame
  }

  private var tooLong: VarlinkError { .limitExceeded("the length of a message in bytes", limit: frameLimitBytes) }

  /// Drops what was taken, once that is at least half of what is held: each byte is moved once on average.
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
