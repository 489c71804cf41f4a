import Glibc

/// A path as another process must be told it.
enum AbsolutePath {
  /// The path of what is there, absolute and without symbolic links.
  ///
  /// - Throws: `notFound`, `notPermitted`.
  static func resolve(_ path: String) throws(CommandError) -> String {
    guard !path.isEmpty else { throw .usage("A path is empty.") }
    guard let resolved = realpath(path, nil) else { throw .file(path, errno) }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
