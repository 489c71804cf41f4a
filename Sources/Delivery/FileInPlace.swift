package import UnixSocket

/// A library's file that is read where it lies, because it is too large to be copied: as long as it
/// is what was listed, and no longer. It never leaves the broker and its media worker.
package final class FileInPlace: Sendable {
  private let file: OpenedFile
  private let isListed: @Sendable (FileFacts) -> Bool

  /// - Parameter isListed: whether the file is in the state that was listed.
  /// - Throws: `changedWhileReading` where it is not.
  package init(_ file: consuming OpenedFile, isListed: @escaping @Sendable (FileFacts) -> Bool) throws(DeliveryError) {
    guard isListed(file.facts) else { throw .changedWhileReading }
    self.file = file
    self.isListed = isListed
  }

  package var byteCount: Int64 { file.facts.byteCount }

  /// Reads a piece, of at most ``InlineReader/pieceLimitBytes``. Blocks while the disk does: call
  /// it on a worker.
  ///
  /// - Throws: `changedWhileReading` where the file is not what was listed, before the piece was
  ///   read or after; `invalidRange`, `system`.
  package func read(offset: Int64, length: Int64) throws(DeliveryError) -> [UInt8] {
    try check()
    guard let bytes = try InlineReader.read(file, offset: offset, length: length, isWanted: isStill) else {
      throw .changedWhileReading
    }
    return bytes
  }

  /// Lends the file to whoever looks into it by itself.
  ///
  /// - Throws: `changedWhileReading` where it was changed meanwhile, whatever came of it; what `body` throws; `system`.
  package func lend<R>(_ body: (borrowing FileDescriptor) throws(DeliveryError) -> R) throws(DeliveryError) -> R {
    try check()
    let result = Result { () throws(DeliveryError) in try body(file.descriptor) }
    try check()
    return try result.get()
  }

  /// - Throws: `changedWhileReading`, `system`.
  package func check() throws(DeliveryError) {
    guard isStill(try FileFacts(of: file.descriptor)) else { throw .changedWhileReading }
  }

  private func isStill(_ facts: FileFacts) -> Bool { isListed(facts) && !facts.contentDiffers(from: file.facts) }
}
