import Glibc

/// An open file of the state folder, and the owner of its close-on-exec descriptor.
struct StateFile: ~Copyable {
  let number: Int32

  /// Opens a file, or creates it with mode 0600. A symbolic link is refused.
  init(path: String) throws(StoreError) {
    number = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard number >= 0 else { throw .system("Opening a state file", errno) }
  }

  deinit { _ = close(number) }

  /// Size in bytes; 0 if it is unknown.
  var size: Int64 {
    var facts = stat()
    return fstat(number, &facts) == 0 ? Int64(facts.st_size) : 0
  }

  func read(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = max(0, pread(number, buffer.baseAddress, count, 0))
    }
  }

  /// Overwrites a part of the file; false if not all bytes were written.
  func write(_ bytes: [UInt8], at offset: Int64 = 0) -> Bool {
    pwrite(number, bytes, bytes.count, off_t(offset)) == bytes.count
  }

  /// Syncs the content, without the file's times.
  func sync() -> Bool { fdatasync(number) == 0 }

  func cut(to size: Int64) { _ = ftruncate(number, off_t(size)) }
}
