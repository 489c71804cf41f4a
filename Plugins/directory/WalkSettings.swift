import Glibc
import PluginKit

/// What a walk, and likewise the watcher, leaves out.
struct WalkSettings {
  /// Whether mounts of other file systems are left out.
  var oneFileSystem: Bool
  /// Patterns with `*`, `?` and `[...]` for the names of files and folders.
  var ignored: [String]

  func ignores(_ name: String) -> Bool {
    SystemFolder.isNamed(name) || ignored.contains { fnmatch($0, name, FNM_PERIOD) == 0 }
  }
}
