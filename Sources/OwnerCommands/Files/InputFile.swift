import Glibc
import UnixSocket

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
    return try bytes(of: path, limitBytes: limitBytes)
  }

  /// The bytes of a regular file.
  ///
  /// - Throws: as ``read(_:limitBytes:console:)``.
  static func bytes(of path: String, limitBytes: Int) throws(CommandError) -> [UInt8] {
    let file = try open(path)
    _ = try facts(of: file, path)
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(file.number, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw .file(path, errno) }
      if count == 0 { return bytes }
      bytes += piece[..<count]
      if bytes.count > limitBytes { throw tooLong(path, limitBytes) }
    }
  }

  /// Opens a file for reading.
  ///
  /// - Throws: `notFound`, `notPermitted`, `failed`.
  static func open(_ path: String) throws(CommandError) -> FileDescriptor {
    // Without O_NONBLOCK, opening a FIFO without a writer would block for ever.
    let number = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard number >= 0 else { throw .file(path, errno) }
    return FileDescriptor(owning: number)
  }

  /// The size, owner and mode of a regular file.
  ///
  /// - Throws: `badData` for anything else.
  static func facts(of file: borrowing FileDescriptor, _ path: String) throws(CommandError) -> stat {
    var facts = stat()
    guard fstat(file.number, &facts) == 0 else { throw .file(path, errno) }
    guard facts.st_mode & S_IFMT == S_IFREG else { throw CommandError(.badData, "\(path) is not a regular file.") }
    return facts
  }

  /// The name in messages.
  static func name(_ path: String) -> String { path == "-" ? "standard input" : path }

  private static func tooLong(_ path: String, _ limitBytes: Int) -> CommandError {
    CommandError(.badData, "\(path) is longer than the limit of \(limitBytes) bytes.")
  }
}

extension CommandError {
  static func file(_ path: String, _ cause: Int32) -> Self {
    let code: ExitCode =
      switch cause {
      case ENOENT, ENOTDIR: .notFound
      case EACCES, EPERM: .notPermitted
      default: .failed
      }
    return Self(code, "\(path): \(String(cString: strerror(cause))).")
  }
}
