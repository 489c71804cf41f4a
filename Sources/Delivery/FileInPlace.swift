package import UnixSocket

/// A library's file read in place, because it is too large to copy. Reads fail once it differs from
/// its listing. It never leaves the broker and its worker.
package final class FileInPlace: Sendable {
  private let file: OpenedFile
  private let isListed: @Sendable (FileFacts) -> Bool

  /// - Parameter isListed: Whether the file is in its listed state.
  /// - Throws: `changedWhileReading` if it is not.
  package init(_ file: consuming OpenedFile, isListed: @escaping @Sendable (FileFacts) -> Bool) throws(DeliveryError) {
    guard isListed(file.facts) else { throw .changedWhileReading }
    self.file = file
    self.isListed = isListed
  }

  package var byteCount: Int64 { file.facts.byteCount }

  /// Reads a piece of at most ``InlineReader/pieceLimitBytes``. Blocks on the disk: call it on a
  /// worker.
  ///
  /// - Throws: `changedWhileReading` if the file differs from its listing, before or after the
  ///   read; `invalidRange`, `system`.
  package func read(offset: Int64, length: Int64) throws(DeliveryError) -> [UInt8] {
    try check()
    guard let bytes = try InlineReader.read(file, offset: offset, length: length, isWanted: isStill) else {
      throw .changedWhileReading
    }
    return bytes
  }

  /// Lends the open file.
  ///
  /// - Throws: `changedWhileReading` if the file changed meanwhile, whatever `body` returned; the
  ///   errors of `body`; `system`.
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
