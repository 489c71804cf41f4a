import Glibc
import UnixSocket

/// Reads pieces of a copy for clients that cannot receive descriptors (R141).
package enum InlineReader {
  /// The longest piece: 512 KiB, so that its base64 form fits into one message.
  package static let pieceLimitBytes: Int64 = 512 * 1024

  /// Reads a piece. It is short only at the end of the copy, and empty at or beyond it.
  ///
  /// - Throws: `invalidRange`, `system`.
  package static func read(_ copy: SealedCopy, offset: Int64, length: Int64) throws(DeliveryError) -> [UInt8] {
    try read(copy.descriptor.number, Int64(copy.byteCount), offset, length)
  }

  /// Reads a piece of a library's file in place. Blocks on the disk: call it on a worker.
  ///
  /// - Returns: Nil if the file is not in the wanted state, before or after the read.
  /// - Throws: `invalidRange`, `system`.
  package static func read(
    _ file: borrowing OpenedFile, offset: Int64, length: Int64, isWanted: (FileFacts) -> Bool
  ) throws(DeliveryError) -> [UInt8]? {
    guard isWanted(file.facts) else { return nil }
    let bytes = try read(file.descriptor.number, file.facts.byteCount, offset, length)
    return isWanted(try FileFacts(of: file.descriptor)) ? bytes : nil
  }

  private static func read(_ number: Int32, _ size: Int64, _ offset: Int64, _ length: Int64) throws(DeliveryError)
    -> [UInt8]
  {
    guard offset >= 0, (0...pieceLimitBytes).contains(length) else { throw .invalidRange }
    let count = Int(min(length, max(0, size - offset)))
    guard count > 0 else { return [] }
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = pread(number, buffer.baseAddress! + filled, count - filled, off_t(offset) + filled)
        if got > 0 {
          filled += got
        } else if got == 0 || errno != EINTR {
          failure = got == 0 ? EIO : errno
          return
        }
      }
    }
    guard failure == 0 else { throw .system(failure, "Reading a piece") }
    return bytes
  }
}
