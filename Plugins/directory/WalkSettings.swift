import Glibc
import PluginKit

/// Names that scan and watcher ignore.
struct WalkSettings {
  /// Whether mounts of other file systems are ignored.
  var oneFileSystem: Bool
  /// Patterns with `*`, `?` and `[...]` for the names of files and folders.
  var ignored: [String]

  func ignores(_ name: String) -> Bool {
    SystemFolder.isNamed(name) || ignored.contains { fnmatch($0, name, FNM_PERIOD) == 0 }
  }
}
