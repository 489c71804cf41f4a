import Cleaning

/// Bytes in memory.
struct MemorySource: ByteSource {
  private let bytes: [UInt8]
  init(_ bytes: [UInt8]) { self.bytes = bytes }
  var byteCount: Int { bytes.count }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    guard offset >= 0, offset <= bytes.count, buffer.count <= bytes.count - offset else { return false }
    bytes.withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<(offset + buffer.count)]))
    }
    return true
  }
}
