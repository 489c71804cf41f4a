import CLinux
import Glibc
import Synchronization
package import UnixSocket

/// An immutable copy of a file in memory: what apps are given instead of the file.
///
/// It is a memory file with a constant label, sealed against every change, and its one descriptor is read-only: neither
/// `readlink` on it nor anything else tells a path, and no later write to the owner's file shows in it (R140).
/// The memory is returned when this object and every descriptor that was handed over are gone.
package final class SealedCopy: Sendable {
  /// What `readlink` on a handed descriptor shows, between "/memfd:" and " (deleted)".
  package static let label = "photo"

  /// Open for reading only. Its file position is shared by all who duplicate it: read by offset,
  /// and hand over what ``opened()`` gives.
  package let descriptor: FileDescriptor
  package let byteCount: Int
  /// What the hasher made of the sealed bytes; nil where none was given.
  package let digest: [UInt8]?
  /// What it has of the memory for copies, as long as it is there; nil where that is counted elsewhere.
  private let memory: SharedAllowance.Share?
  private let wasReused = Atomic(false)

  init(descriptor: consuming FileDescriptor, byteCount: Int, digest: [UInt8]?, memory: SharedAllowance.Share?) {
    self.descriptor = descriptor
    self.byteCount = byteCount
    self.digest = digest
    self.memory = memory
  }

  /// Computes a digest of the whole content, which is already sealed when it is called.
  package typealias Hasher = (UnsafeRawBufferPointer) throws(DeliveryError) -> [UInt8]

  /// Copies a file of the library. Blocks while the disk does: call it on a worker.
  ///
  /// - Parameters:
  ///   - memory: What it has of the memory for copies.
  ///   - isWanted: asked before each piece of at most 1 MiB; false ends it.
  /// - Throws: `tooLarge`, `changedWhileReading` after one retry, `readerGone` where nobody wants
  ///   it, `noSpace`, `system`.
  package static func copying(
    _ file: borrowing OpenedFile, limitBytes: Int, hasher: Hasher? = nil, memory: SharedAllowance.Share? = nil,
    isWanted: () -> Bool = { true }
  ) throws(DeliveryError) -> SealedCopy {
    try copying(number: file.descriptor.number, limitBytes: limitBytes, hasher: hasher, memory: memory) {
      () throws(DeliveryError) in
      guard isWanted() else { throw .readerGone }
    }
  }

  /// - Parameter checkpoint: Called before each piece of at most 1 MiB; what it throws ends the copying.
  static func copying(
    number: Int32, limitBytes: Int, hasher: Hasher?, memory: SharedAllowance.Share? = nil,
    checkpoint: () throws(DeliveryError) -> Void
  ) throws(DeliveryError) -> SealedCopy {
    for _ in 1...2 { if let copy = try attempt(number, limitBytes, hasher, memory, checkpoint) { return copy } }
    throw .changedWhileReading
  }

  /// Seals bytes that the broker made itself: a thumbnail, a redacted original.
  ///
  /// - Throws: `noSpace`, `system`.
  package static func of(_ bytes: UnsafeRawBufferPointer, hasher: Hasher? = nil) throws(DeliveryError) -> SealedCopy {
    let writer = try SealedWriter()
    try writer.append(bytes)
    return try writer.seal(hasher: hasher)
  }

  /// Seals bytes that came in pieces. With many of them: on a worker.
  ///
  /// - Parameter memory: What it has of the memory for copies.
  /// - Throws: `noSpace`, `system`, what the hasher throws.
  package static func of(
    _ pieces: [[UInt8]], hasher: Hasher? = nil, memory: SharedAllowance.Share? = nil
  ) throws(DeliveryError) -> SealedCopy {
    let writer = try SealedWriter()
    for piece in pieces {
      var failure: DeliveryError?
      piece.withUnsafeBytes { bytes in
        do throws(DeliveryError) { try writer.append(bytes) } catch { failure = error }
      }
      if let failure { throw failure }
    }
    return try writer.seal(hasher: hasher, memory: memory)
  }

  /// Takes over a memory file that a worker process filled and sealed.
  ///
  /// - Throws: `notReadable` where it is not a memory file with every seal, `tooLarge`, `system`.
  package static func adopting(
    _ sealed: consuming FileDescriptor, limitBytes: Int, hasher: Hasher? = nil
  ) throws(DeliveryError) -> SealedCopy {
    guard clinux_is_immutable(sealed.number) == 1 else {
      throw DeliveryError(.notReadable, "Only a sealed memory file is taken over. Seal it before sending it.")
    }
    let size = try FileFacts(of: sealed).byteCount
    guard size <= Int64(limitBytes) else { throw .tooLarge }
    return try SealedWriter.finish(sealed, byteCount: Int(size), hasher: hasher)
  }

  /// nil where the file changed meanwhile.
  private static func attempt(
    _ source: Int32, _ limit: Int, _ hasher: Hasher?, _ memory: SharedAllowance.Share?,
    _ checkpoint: () throws(DeliveryError) -> Void
  ) throws(DeliveryError) -> SealedCopy? {
    let before = try FileFacts(number: source)
    guard before.byteCount <= Int64(limit) else { throw .tooLarge }
    let size = Int(before.byteCount)
    let writer = try SealedWriter()
    var copied = 0
    while copied < size {
      try checkpoint()
      let count = try writer.append(from: source, offset: copied, limit: min(size - copied, 1 << 20))
      if count == 0 { return nil }
      copied += count
    }
    if try FileFacts(number: source).contentDiffers(from: before) { return nil }
    return try writer.seal(hasher: hasher, memory: memory)
  }

  /// A description of its own, at the beginning: whoever is handed one reads as if nobody else read.
  ///
  /// - Throws: `descriptorsExhausted`, `system`.
  package func opened() throws(UnixSocketError) -> FileDescriptor {
    try FileDescriptor(result: clinux_reopen_read_only(descriptor.number), of: "Opening a copy")
  }

  /// Moves the content into large pages, so that whoever reads it reads three times as fast; nobody
  /// can see that otherwise. Takes some milliseconds: call it on a worker, once the copy has been
  /// handed over. Where the kernel does not want to, nothing changes.
  package func useLargePages() { _ = clinux_use_large_pages(descriptor.number, byteCount) }

  /// Whether this is asked for the first time.
  package func isFirstReuse() -> Bool { !wasReused.exchange(true, ordering: .relaxed) }

  /// Lends the whole content, mapped: no copy, and no fault later, since nothing can shrink it.
  ///
  /// - Throws: `noSpace`, `system`.
  package func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws(DeliveryError) -> R) throws(DeliveryError) -> R {
    try Self.withBytes(of: descriptor.number, count: byteCount, body)
  }

  static func withBytes<R>(
    of number: Int32, count: Int, _ body: (UnsafeRawBufferPointer) throws(DeliveryError) -> R
  ) throws(DeliveryError) -> R {
    guard count > 0 else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    guard let address = mmap(nil, count, PROT_READ, MAP_SHARED, number, 0), address != MAP_FAILED else {
      throw .system(errno, "Mapping a copy")
    }
    defer { munmap(address, count) }
    return try body(UnsafeRawBufferPointer(start: address, count: count))
  }
}
