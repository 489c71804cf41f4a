package import PluginHost

/// A plugin as the catalogue knows it, installed or bundled.
package struct CataloguedPlugin: Sendable, Equatable {
  package enum Origin: String, Sendable {
    /// It lies in one of the daemon's plugin folders.
    case bundled
    case installed
    /// Installed by `plugin dev`, which replaces it after each build.
    case development
  }

  package enum State: String, Sendable {
    case enabled, disabled
    /// It cannot be used as it is; `problem` says why.
    case refused
  }

  package var name: String
  package var origin: Origin
  package var form: PluginForm
  package var state: State
  /// Why it is refused, or was disabled by the broker, or which limit it runs without, and what to do.
  package var problem: String?
  /// SHA-256, hexadecimal. Nil: bundled.
  package var digest: String?
  /// What it said of itself when it was last asked. Nil where it could not be asked.
  package var description: PluginDescription?
  /// When it was installed, in microseconds since 1970. Nil: bundled.
  package var installed: Int64?
  /// The user who installed it. Nil: bundled.
  package var installedBy: Int64?
  /// Whether a bundled plugin has one of its names, and is used in its place.
  package var isDisplaced = false
  /// Whether it runs inside of the daemon.
  package var isTrusted = false
  /// Whether it may use the network.
  package var hasNetwork = false

  /// What libraries have of it, or would have where it is disabled.
  package var served: [PluginRole] { isDisplaced ? [] : description?.roles ?? [] }
}
