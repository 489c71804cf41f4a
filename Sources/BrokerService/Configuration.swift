package import PluginHost
import UnixSocket

/// A daemon's settings. Everything but the two folders has a default.
package struct Configuration: Sendable {
  /// Folder of the database, ledger and keys. Only the broker's user may enter it.
  package var stateDirectory: String
  /// Folder of `photobroker.sock` and `admin.sock`.
  package var runtimeDirectory: String
  /// Folders in which plugins are searched, in this order.
  package var pluginDirectories: [String]
  /// Folder of `photobroker-plugin-host` and the workers.
  package var programDirectory: String
  /// Users who may administer beside root: they list and narrow grants, and never see photos or
  /// widen grants.
  package var administrators: Set<UInt32>
  /// The plugin that makes cloud identifiers. Machines that exchange such identifiers need the same
  /// one.
  package var cloudMapping: String
  /// Plugins whose processes may use the network. An installed plugin has the name that it was
  /// installed under.
  package var networkedPlugins: Set<String>
  /// Plugins that run inside the daemon. A crash of one takes the daemon down, and its code can
  /// read all of the daemon's memory.
  package var trustedPlugins: Set<String>
  /// The folders in which users may have libraries.
  package var allowedPlaces: AllowedPlaces
  /// The most photos of all libraries together. Nil: a number that the machine's memory decides.
  package var photos: Int?
  package var pluginLimits: PluginAllowance
  /// Whether the clock is right even if it showed a later time before.
  package var trustsClock: Bool
  /// Options of a throw-away broker, whose clock is set by tests and whose keys are predictable.
  /// Nil: a real broker.
  package var sandbox: SandboxOptions?

  /// The folders of this machine that belong to the broker alone.
  var ownFolders: [String] { [stateDirectory, runtimeDirectory] }

  package init(
    stateDirectory: String, runtimeDirectory: String, pluginDirectories: [String], programDirectory: String,
    administrators: Set<UInt32> = [0],
    cloudMapping: String = "content", networkedPlugins: Set<String> = [],
    trustedPlugins: Set<String> = [], allowedPlaces: AllowedPlaces = AllowedPlaces(),
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
    self.allowedPlaces = allowedPlaces
    self.photos = photos
    self.pluginLimits = pluginLimits
    self.trustsClock = trustsClock
    self.sandbox = sandbox
  }
}
