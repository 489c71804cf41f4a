package import PluginHost
import UnixSocket

/// How a daemon is set up; everything has a default but the two folders.
package struct Configuration: Sendable {
  /// Database, ledger, keys. Only the broker's user may enter.
  package var stateDirectory: String
  /// `photobroker.sock` and `admin.sock`.
  package var runtimeDirectory: String
  /// Where plugins are looked for, in order.
  package var pluginDirectories: [String]
  /// Where `photobroker-plugin-host` and `photobroker-media` are.
  package var programDirectory: String
  /// Users who may administer beside root: list and narrow, never see or widen.
  package var administrators: Set<UInt32>
  /// The plugin that makes cloud identifiers. All machines between which they move need the same one.
  package var cloudMapping: String
  /// Plugins whose processes may use the network: bundled ones, and installed ones by the name that
  /// they were installed under.
  package var networkedPlugins: Set<String>
  /// Plugins that run inside of the daemon: what crashes one takes the daemon down, and nothing of
  /// the daemon is hidden from it.
  package var trustedPlugins: Set<String>
  /// Where users may have libraries.
  package var admission: StorageAdmission
  /// How many photos libraries of all users may have; nil: by the memory that there is.
  package var photos: Int?
  /// What plugins are held to.
  package var pluginLimits: PluginAllowance
  /// Whether the clock is right, however much later it was before.
  package var trustsClock: Bool
  /// Set for a throw-away broker, whose clock is set by its tests and whose keys can be foreseen. Nil: a real one.
  package var sandbox: SandboxOptions?

  /// What of this machine's folders is the broker's alone.
  var ownFolders: [String] { [stateDirectory, runtimeDirectory] }

  package init(
    stateDirectory: String, runtimeDirectory: String, pluginDirectories: [String], programDirectory: String,
    administrators: Set<UInt32> = [0],
    cloudMapping: String = "content", networkedPlugins: Set<String> = [],
    trustedPlugins: Set<String> = [], admission: StorageAdmission = StorageAdmission(),
    pluginLimits: PluginAllowance = PluginAllowance(),
    photos: Int? = nil, trustsClock: Bool = false, sandbox: SandboxOptions? = nil
  ) {
    self.stateDirectory = stateDirectory
    self.runtimeDirectory = runtimeDirectory
    self.pluginDirectories = pluginDirectories
    self.programDirectory = programDirectory
    self.administrators = administrators
    self.cloudMapping = cloudMapping
    self.networkedPlugins = networkedPlugins
    self.trustedPlugins = trustedPlugins
    self.admission = admission
    self.photos = photos
    self.pluginLimits = pluginLimits
    self.trustsClock = trustsClock
    self.sandbox = sandbox
  }
}
