import Glibc

/// Random access to the bytes of a file.
package protocol ByteSource {
  var byteCount: Int { get }
  /// Fills the buffer with the bytes from `offset` on; false if they could not all be read.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Bool
}

/// An open file, which the caller keeps open.
package struct FileSource: ByteSource {
  private let descriptor: Int32
  package let byteCount: Int

  /// Nil if the descriptor is no regular file.
  package init?(descriptor: Int32) {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
    self.descriptor = descriptor
    byteCount = Int(facts.st_size)
  }

  package func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    var done = 0
    while done < buffer.count {
      guard let start = buffer.baseAddress else { return false }
      let count = pread(descriptor, start + done, buffer.count - done, off_t(offset + done))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }
}
