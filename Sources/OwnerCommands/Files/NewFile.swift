import Glibc

/// A new file for a token, a backup or a picture. It has its mode from birth, replaces no file, and is
/// deleted unless `keep` succeeds.
///
/// It is created before the call, so that the broker makes nothing that cannot be saved.
struct NewFile: ~Copyable {
  private let path: String
  private let descriptor: Int32
  private var isKept = false

  /// - Throws: `cannotCreate`; `usage` for `-`, because nobody means a file of that name.
  init(creating path: String, mode: mode_t = 0o600) throws(CommandError) {
    guard path != "-" else {
      throw .usage("Name a new file, not standard output. For a file called -, write ./-")
    }
    let result = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
    guard result >= 0 else {
      let cause = errno
      let advice = cause == EEXIST ? " Existing files are never overwritten. Name a new one." : ""
      throw CommandError(.cannotCreate, "\(path): \(String(cString: strerror(cause))).\(advice)")
    }
    (self.path, descriptor) = (path, result)
  }

  deinit {
    close(descriptor)
    if !isKept { unlink(path) }
  }

  /// Writes the token and a newline, and syncs.
  ///
  /// - Parameter owner: the file's owner if root runs the command; nil: the caller.
  /// - Throws: `failed`.
  mutating func keep(_ token: String, owner: Int64? = nil) throws(CommandError) {
    let advice = "The token was not written. Revoke it and mint another one."
    if let owner, geteuid() == 0, let uid = uid_t(exactly: owner) {
      guard fchown(descriptor, uid, .max) == 0 else { throw refused(errno, advice) }
    }
    try keep(Array((token + "\n").utf8), orElse: advice)
  }

  /// Writes bytes, and syncs.
  ///
  /// - Parameter advice: the remedy in the error message.
  /// - Throws: `failed`.
  mutating func keep(_ bytes: [UInt8], orElse advice: String) throws(CommandError) {
    try append(bytes, advice)
    try finish(advice)
  }

  /// Copies another file, and syncs.
  ///
  /// - Parameters:
  ///   - source: a readable descriptor, which stays the caller's.
  ///   - size: the expected length in bytes.
  ///   - advice: the remedy in the error message.
  /// - Throws: `failed`, also for a source of another length.
  mutating func keep(copyOf source: Int32, size: Int64, orElse advice: String) throws(CommandError) {
    var piece = [UInt8](repeating: 0, count: 1 << 20)
    var total: Int64 = 0
    while true {
      let count = pread(source, &piece, piece.count, off_t(total))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw refused(errno, advice) }
      if count == 0 { break }
      try append(Array(piece[..<count]), advice)
      total += Int64(count)
    }
    guard total == size else {
      throw CommandError(.failed, "\(path): \(total) bytes arrived instead of \(size). \(advice)")
    }
    try finish(advice)
  }

  private mutating func finish(_ advice: String) throws(CommandError) {
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw refused(errno, advice) }
    isKept = true
  }

  private func append(_ bytes: [UInt8], _ advice: String) throws(CommandError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw refused(errno, advice) }
      rest = rest.dropFirst(written)
    }
  }

  private func refused(_ cause: Int32, _ advice: String) -> CommandError {
    CommandError(.failed, "\(path): \(String(cString: strerror(cause))). \(advice)")
  }
}
