import Glibc

/// Paths that another process can open.
enum AbsolutePath {
  /// Resolves an existing path to an absolute one without symbolic links.
  ///
  /// - Throws: `notFound`, `notPermitted`.
  static func resolve(_ path: String) throws(CommandError) -> String {
    guard !path.isEmpty else { throw .usage("A path is empty.") }
    guard let resolved = realpath(path, nil) else { throw .file(path, errno) }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
