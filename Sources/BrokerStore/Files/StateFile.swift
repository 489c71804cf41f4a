import Glibc

/// An open file of the state folder: the one owner of its descriptor, close-on-exec from birth.
struct StateFile: ~Copyable {
  let number: Int32

  /// Opens, creating what is not there with mode 0600. A symbolic link is refused.
  init(path: String) throws(StoreError) {
    number = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard number >= 0 else { throw .system("Opening a file of the state", errno) }
  }

  deinit { _ = close(number) }

  /// The file's size in bytes; 0 where it cannot be told.
  var size: Int64 {
    var facts = stat()
    return fstat(number, &facts) == 0 ? Int64(facts.st_size) : 0
  }

  /// At most `count` bytes from the beginning.
  func read(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = max(0, pread(number, buffer.baseAddress, count, 0))
    }
  }

  /// Overwrites a part of the file, by default its beginning; false where not all of it was written.
  func write(_ bytes: [UInt8], at offset: Int64 = 0) -> Bool {
    pwrite(number, bytes, bytes.count, off_t(offset)) == bytes.count
  }

  /// Waits until the disk has it; for the times of the file nobody waits.
  func sync() -> Bool { fdatasync(number) == 0 }

  func cut(to size: Int64) { _ = ftruncate(number, off_t(size)) }
}
