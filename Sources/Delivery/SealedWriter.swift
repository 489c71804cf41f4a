import CLinux
import Glibc
import UnixSocket

/// A memory file while it is filled; becomes a ``SealedCopy``.
struct SealedWriter: ~Copyable {
  private let file: FileDescriptor

  init() throws(DeliveryError) {
    file = FileDescriptor(
      owning: try DeliveryError.check(clinux_memory_file(SealedCopy.label), "Making a memory file"))
  }

  borrowing func append(_ bytes: UnsafeRawBufferPointer) throws(DeliveryError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = UnsafeRawBufferPointer(rebasing: rest)
      let count = Glibc.write(file.number, piece.baseAddress, piece.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .system(errno, "Filling a copy") }
      rest = rest.dropFirst(count)
    }
  }

  borrowing func append(_ bytes: ArraySlice<UInt8>) throws(DeliveryError) {
    try bytes.withUnsafeBytes { bytes in Result { () throws(DeliveryError) in try append(bytes) } }.get()
  }

  /// Overwrites bytes in place.
  borrowing func overwrite(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DeliveryError) {
    var done = 0
    while done < bytes.count {
      let piece = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = pwrite(file.number, piece.baseAddress, piece.count, off_t(offset + done))
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw .system(errno, "Cleaning a copy") }
      done += count
    }
  }

  /// Copies at most `limit` bytes of another file; 0 is its end.
  borrowing func append(from source: Int32, offset: Int, limit: Int) throws(DeliveryError) -> Int {
    let count = try DeliveryError.check(clinux_copy(source, Int64(offset), file.number, limit), "Copying a file")
    // A broken file system may report more bytes than requested.
    return min(count, limit)
  }

  /// A read-only descriptor of the bytes so far.
  borrowing func reopened() throws(DeliveryError) -> FileDescriptor {
    FileDescriptor(owning: try DeliveryError.check(clinux_reopen_read_only(file.number), "Reopening a copy"))
  }

  consuming func seal(hasher: SealedCopy.Hasher?, memory: SharedAllowance.Share? = nil) throws(DeliveryError)
    -> SealedCopy
  {
    _ = try DeliveryError.check(clinux_seal(file.number), "Sealing a copy")
    let byteCount = Int(try FileFacts(of: file).byteCount)
    return try Self.finish(file, byteCount: byteCount, hasher: hasher, memory: memory)
  }

  /// Replaces a sealed descriptor, perhaps writable, by a read-only one.
  static func finish(
    _ sealed: consuming FileDescriptor, byteCount: Int, hasher: SealedCopy.Hasher?, memory: SharedAllowance.Share? = nil
  ) throws(DeliveryError) -> SealedCopy {
    let reader = FileDescriptor(
      owning: try DeliveryError.check(clinux_reopen_read_only(sealed.number), "Reopening a copy"))
    var digest: [UInt8]?
    if let hasher {
      digest = try SealedCopy.withBytes(of: reader.number, count: byteCount, hasher)
    }
    return SealedCopy(descriptor: reader, byteCount: byteCount, digest: digest, memory: memory)
  }
}
