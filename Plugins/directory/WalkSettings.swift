import Glibc

/// What a walk, and likewise the watcher, leaves out.
struct WalkSettings {
  /// Whether mounts of other file systems are left out.
  var oneFileSystem: Bool
  /// Patterns with `*`, `?` and `[...]` for the names of files and folders.
  var ignored: [String]

  /// Each disk of the ext kind has one, which nobody but root looks into.
  private static let foundBlocks = "lost+found"

  func ignores(_ name: String) -> Bool { name == Self.foundBlocks || ignored.contains { fnmatch($0, name, FNM_PERIOD) == 0 } }
}
