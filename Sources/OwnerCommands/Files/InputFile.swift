import Glibc

/// Reads small files that a person names.
enum InputFile {
  /// The file's bytes; `-` is standard input.
  ///
  /// - Throws: `notFound`, `notPermitted`; `badData` unless it is a regular file of at most
  ///   `limitBytes`.
  static func read(_ path: String, limitBytes: Int, console: any Console) throws(CommandError) -> [UInt8] {
    if path == "-" {
      guard let bytes = console.input(limitBytes: limitBytes) else { throw tooLong("Standard input", limitBytes) }
      return bytes
    }
    // Without O_NONBLOCK, opening a FIFO without a writer would block for ever.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .file(path, errno) }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { throw .file(path, errno) }
    guard facts.st_mode & S_IFMT == S_IFREG else { throw CommandError(.badData, "\(path) is not a regular file.") }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw .file(path, errno) }
      if count == 0 { return bytes }
      bytes += piece[..<count]
      if bytes.count > limitBytes { throw tooLong(path, limitBytes) }
    }
  }

  /// The name in messages.
  static func name(_ path: String) -> String { path == "-" ? "standard input" : path }

  private static func tooLong(_ path: String, _ limitBytes: Int) -> CommandError {
    CommandError(.badData, "\(path) is longer than the limit of \(limitBytes) bytes.")
  }
}

extension CommandError {
  static func file(_ path: String, _ cause: Int32) -> Self {
    let reason = strerror(cause).map { String(cString: $0) } ?? "error \(cause)"
    return switch cause {
    case ENOENT, ENOTDIR: Self(.notFound, "\(path): \(reason).")
    case EACCES, EPERM: Self(.notPermitted, "\(path): \(reason).")
    default: Self(.failed, "\(path): \(reason).")
    }
  }
}
