import PluginKit

/// Names that scan and watcher ignore.
struct WalkSettings {
  /// Whether mounts of other file systems are ignored.
  var oneFileSystem: Bool
  var bins: NamePatterns
  var ignored: NamePatterns

  /// The broker's own trash and staged files are never listed.
  func ignores(_ name: String) -> Bool {
    name.hasPrefix(".photobroker-") || bins.matches(name) || ignored.matches(name)
  }
}
