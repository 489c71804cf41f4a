package import PluginHost
package import Supervisor

/// What is checked: one protocol and name of one plugin, and how its process is started.
package struct CheckedPlugin: Sendable {
  package var kind: PluginProtocol
  package var name: String
  /// How its process is started; it finds its socket as descriptor 3.
  package var program: ChildOptions
  package var settings: PluginSettings
  /// Whether files may be added to the storage and trashed: for one that can be lost.
  package var mayChange: Bool
  package var limits = PluginAllowance()
  /// Whether its file says what it is, without which it cannot be installed.
  var isDescribed = true

  package init(
    _ kind: PluginProtocol, _ name: String, program: ChildOptions, settings: PluginSettings = PluginSettings(),
    mayChange: Bool = false
  ) {
    self.kind = kind
    self.name = name
    self.program = program
    self.program.reach(what: settings)
    self.settings = settings
    self.mayChange = mayChange
  }

  /// Whether it speaks the protocol itself, without the plugin host.
  package var isProgram: Bool { program.arguments.isEmpty }

  /// As errors begin with it, such as `storage(archive)`.
  package var title: String { "\(kind.rawValue)(\(name))" }
}
