package import PluginHost
package import Supervisor
import Synchronization

/// One protocol and name of a plugin under check, and the command of its process.
package struct CheckedPlugin: Sendable {
  package var kind: PluginProtocol
  package var name: String
  /// The command of its process; its socket is descriptor 3.
  package var program: ChildOptions
  package var settings: PluginSettings
  /// Whether checks may add and trash files, for a storage that can be lost.
  package var mayChange: Bool
  package var limits = PluginAllowance()
  /// Whether its file describes itself, which installation requires.
  var isDescribed = true
  /// The call that a process of it refused last, with its parameters.
  let refusedCall = RefusedCall()

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

  package var isProgram: Bool { program.arguments.isEmpty }

  /// The prefix of its errors, such as `storage(archive)`.
  package var title: String { "\(kind.rawValue)(\(name))" }
}

/// A call in words, shared by the copies of a plugin under check.
final class RefusedCall: Sendable {
  private let value = Mutex("")

  var words: String {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}
