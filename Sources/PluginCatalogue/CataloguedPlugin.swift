package import PluginHost

/// An installed or bundled plugin, as the catalogue lists it.
package struct CataloguedPlugin: Sendable, Equatable {
  package enum Origin: String, Sendable {
    case bundled
    case installed
    /// Installed by `plugin dev`, which replaces it after each build.
    case development
  }

  package enum State: String, Sendable {
    case enabled, disabled
    /// The plugin cannot be used; `problem` tells why.
    case refused
  }

  package var name: String
  package var origin: Origin
  package var form: PluginForm
  package var state: State
  /// The reason why it was refused or the broker disabled it, or the limit that it lacks, with a
  /// fix.
  package var problem: String?
  /// SHA-256, hexadecimal. Nil for a bundled plugin.
  package var digest: String?
  /// Its latest description; nil if it could not be asked.
  package var description: PluginDescription?
  /// Time of installation in microseconds since 1970. Nil for a bundled plugin.
  package var installed: Int64?
  /// The user who installed it. Nil for a bundled plugin.
  package var installedBy: Int64?
  /// Whether a bundled plugin has one of its names and is used instead.
  package var isDisplaced = false
  /// Whether it runs in the daemon.
  package var isTrusted = false
  package var hasNetwork = false

  /// Its roles that libraries use, or could use if it were enabled.
  package var served: [PluginRole] { isDisplaced ? [] : description?.roles ?? [] }
}
