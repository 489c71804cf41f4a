import CLinux
import Glibc
import Synchronization
package import UnixSocket

/// An immutable copy of a file in memory, which apps receive instead of the file.
///
/// It is a memory file with a constant label, sealed against all changes, with a read-only
/// descriptor. It reveals no path, not even by `readlink`, and later writes to the owner's file do
/// not show (R140). Its memory is freed when this object and all descriptors sent to apps are gone.
package final class SealedCopy: Sendable {
  /// The name that `readlink` shows for a descriptor, between "/memfd:" and " (deleted)".
  package static let label = "photo"

  /// Open for reading only. Duplicates share its file position: read by offset, and send a
  /// descriptor from ``opened()``.
  package let descriptor: FileDescriptor
  package let byteCount: Int
  /// The hasher's digest of the sealed bytes; nil without a hasher.
  package let digest: [UInt8]?
  /// The share of the memory quota; nil if counted elsewhere.
  private let memory: SharedAllowance.Share?
  private let wasReused = Atomic(false)

  init(descriptor: consuming FileDescriptor, byteCount: Int, digest: [UInt8]?, memory: SharedAllowance.Share?) {
    self.descriptor = descriptor
    self.byteCount = byteCount
    self.digest = digest
    self.memory = memory
  }

  /// Computes a digest of the whole content after sealing.
  package typealias Hasher = (UnsafeRawBufferPointer) throws(DeliveryError) -> [UInt8]

  /// Copies a library's file. Blocks on the disk: call it on a worker.
  ///
  /// - Parameters:
  ///   - memory: The share of the memory quota.
  ///   - planner: Plans the copy's cleaning, which is done before it is sealed.
  ///   - isWanted: Called before each piece of at most 1 MiB; false cancels.
  /// - Throws: `tooLarge`, `changedWhileReading` after one retry, `readerGone` if cancelled,
  ///   `noSpace`, `system`, the planner's errors.
  package static func copying(
    _ file: borrowing OpenedFile, limitBytes: Int, hasher: Hasher? = nil, memory: SharedAllowance.Share? = nil,
    cleaned planner: Planner? = nil, isWanted: () -> Bool = { true }
  ) throws(DeliveryError) -> SealedCopy {
    try copying(number: file.descriptor.number, limitBytes: limitBytes, hasher: hasher, memory: memory, planner) {
      () throws(DeliveryError) in
      guard isWanted() else { throw .readerGone }
    }
  }

  /// - Parameter checkpoint: Called before each piece of at most 1 MiB; an error ends the copying.
  static func copying(
    number: Int32, limitBytes: Int, hasher: Hasher?, memory: SharedAllowance.Share? = nil, _ planner: Planner? = nil,
    checkpoint: () throws(DeliveryError) -> Void
  ) throws(DeliveryError) -> SealedCopy {
    for _ in 1...2 {
      if let copy = try attempt(number, limitBytes, hasher, memory, planner, checkpoint) { return copy }
    }
    throw .changedWhileReading
  }

  /// Seals bytes made by the broker: a thumbnail, a redacted original.
  ///
  /// - Throws: `noSpace`, `system`.
  package static func of(_ bytes: UnsafeRawBufferPointer, hasher: Hasher? = nil) throws(DeliveryError) -> SealedCopy {
    let writer = try SealedWriter()
    try writer.append(bytes)
    return try writer.seal(hasher: hasher)
  }

  /// Seals bytes in pieces. Call it on a worker if there are many.
  ///
  /// - Parameter memory: The share of the memory quota.
  /// - Throws: `noSpace`, `system`, the hasher's errors.
  package static func of(
    _ pieces: [[UInt8]], hasher: Hasher? = nil, memory: SharedAllowance.Share? = nil
  ) throws(DeliveryError) -> SealedCopy {
    let writer = try SealedWriter()
    for piece in pieces { try writer.append(piece[...]) }
    return try writer.seal(hasher: hasher, memory: memory)
  }

  /// Adopts a memory file that the worker filled and sealed.
  ///
  /// - Throws: `notReadable` unless it is a completely sealed memory file; `tooLarge`, `system`.
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

  /// Nil if the file changed meanwhile.
  private static func attempt(
    _ source: Int32, _ limit: Int, _ hasher: Hasher?, _ memory: SharedAllowance.Share?, _ planner: Planner?,
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
    if let planner { try writer.clean(planner, checkpoint: checkpoint) }
    return try writer.seal(hasher: hasher, memory: memory)
  }

  /// A new read-only description at offset 0, independent of other readers.
  ///
  /// - Throws: `descriptorsExhausted`, `system`.
  package func opened() throws(UnixSocketError) -> FileDescriptor {
    try FileDescriptor(result: clinux_reopen_read_only(descriptor.number), of: "Opening a copy")
  }

  /// Moves the content into large pages, which triples the speed of reading and changes nothing
  /// else. Takes some milliseconds: call it on a worker, after the copy was delivered. Has no
  /// effect if the kernel refuses.
  package func useLargePages() { _ = clinux_use_large_pages(descriptor.number, byteCount) }

  /// Whether this is the first call.
  package func isFirstReuse() -> Bool { !wasReused.exchange(true, ordering: .relaxed) }

  /// Lends the whole content as a mapping, without a copy. Nothing can shrink the file, so reads
  /// cannot fault.
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
