import Glibc

/// A new file that holds a token: mode 0600 from birth, never over another file, gone again unless it was written.
///
/// It is made before the broker is asked, so that no token is minted that nobody can keep.
struct SecretFile: ~Copyable {
  private let path: String
  private let descriptor: Int32
  private var isKept = false

  /// - Throws: `cannotCreate`.
  init(creating path: String) throws(CommandError) {
    let result = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard result >= 0 else {
      let cause = errno
      let reason = strerror(cause).map { String(cString: $0) } ?? "error \(cause)"
      let advice = cause == EEXIST ? " A token is never written over another file; name a new one." : ""
      throw CommandError(.cannotCreate, "\(path): \(reason).\(advice)")
    }
    (self.path, descriptor) = (path, result)
  }

  deinit {
    close(descriptor)
    if !isKept { unlink(path) }
  }

  /// Writes the token and a line end, through to the disk.
  ///
  /// - Parameter owner: whom root gives the file to; nil leaves it the caller's.
  /// - Throws: `failed`.
  mutating func keep(_ token: String, owner: Int64? = nil) throws(CommandError) {
    var rest = Array((token + "\n").utf8)[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw refused(errno) }
      rest = rest.dropFirst(written)
    }
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw refused(errno) }
    if let owner, geteuid() == 0, let uid = uid_t(exactly: owner) {
      guard fchown(descriptor, uid, .max) == 0 else { throw refused(errno) }
    }
    isKept = true
  }

  private func refused(_ cause: Int32) -> CommandError {
    let reason = strerror(cause).map { String(cString: $0) } ?? "error \(cause)"
    return CommandError(.failed, "\(path): \(reason). The token was not kept; revoke it and mint another one.")
  }
}
