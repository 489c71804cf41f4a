import BrokerInterface
import PluginKit
package import Supervisor
import UnixSocket

/// Processes for one handshake, before the plugin is installed or upgraded.
extension IsolatedPlugin {
  private static let trialLimit = Duration.seconds(10)

  /// Reads a program's description, in a process that ends with this call.
  /// - Returns: nil if the program has none, which programs in other languages need not.
  /// - Throws: its failure, in words for the plugin's author; `unsupported` for another kit, or if
  ///   the plugin host cannot load the object.
  package static func describe(_ name: String, _ program: ChildOptions) throws(PluginFailure) -> PluginDescription? {
    let plugin = IsolatedPlugin(describing: name, program: program)
    defer { plugin.stop() }
    let description: PluginDescription?
    do throws(SupervisorError) {
      description = try plugin.supervisor.withConnection(deadline: trialLimit) {
        try PluginHandshake.description(on: $0)
      }
    } catch {
      throw plugin.told(error, during: "Describe", isObject: !program.arguments.isEmpty)
    }
    try description?.checkOptions()
    return description
  }

  /// Starts a program with the settings of one of its libraries, in a process that ends with this
  /// call.
  /// - Throws: the failure, without secrets. An offline storage is no failure of the program.
  package static func tryStart(
    _ kind: PluginProtocol, _ name: String, _ settings: PluginSettings, _ program: ChildOptions
  ) throws(PluginFailure) {
    let plugin = IsolatedPlugin(kind, name: name, settings: settings, program: program)
    defer { plugin.stop() }
    do throws(SupervisorError) {
      // `withConnection` performs the handshake first.
      try plugin.supervisor.withConnection(deadline: trialLimit) { _ in }
    } catch {
      let failure = plugin.told(error, during: "Start", isObject: !program.arguments.isEmpty)
      if error.underlying is PluginFailure, failure.code == .offline { return }
      throw failure
    }
    if kind == .storage, !plugin.offers(.read) { try plugin.mustNameRoot() }
  }

  /// - Throws: `unsupported` if the broker had no way to read a photo.
  private func mustNameRoot() throws(PluginFailure) {
    let facts: Plugin.Facts.Reply
    do throws(PluginFailure) {
      facts = try call(Plugin.Facts.self, .init(), deadline: Self.trialLimit)
    } catch {
      if error.code == .offline { return }
      throw error
    }
    guard facts.root != nil else {
      throw PluginFailure(
        .unsupported,
        "It has no root and does not offer read, so no photo could be read. Answer with a root, or offer read.")
    }
  }

  /// The failure of a handshake, with a fix for the author.
  private func told(_ error: SupervisorError, during call: String, isObject: Bool) -> PluginFailure {
    if let known = error.underlying as? PluginFailure {
      return PluginFailure(known.code, settings.redacted(known.message))
    }
    let said = errorLines.last.map { settings.redacted(Self.plain($0)) } ?? ""
    let words = said.isEmpty ? "" : " It said: \(said)"
    if let ended = error.ended {
      // The plugin host prints whole sentences about an object that it cannot load.
      if isObject, ended == .exited(1), !said.isEmpty { return PluginFailure(.unsupported, said) }
      return PluginFailure(.unsupported, "It \(ended) before it answered \(call) of io.photobroker.Plugin.\(words)")
    }
    switch error.code {
    case .deadlineExceeded:
      return PluginFailure(
        .unsupported,
        """
        It did not answer \(call) of io.photobroker.Plugin within \(Self.trialLimit.components.seconds) seconds, and \
        was ended.\(words)
        """
      )
    case .protocolViolation where (error.underlying as? UnixSocketError)?.code == .closed:
      return PluginFailure(
        .unsupported, "It closed its socket before it answered \(call) of io.photobroker.Plugin.\(words)")
    case .protocolViolation:
      let reason = error.underlying.map { Self.plain("\($0)") } ?? ""
      return PluginFailure(.unsupported, "Its answer to \(call) does not match io.photobroker.Plugin: \(reason)")
    case .childExited, .startFailed, .unavailable, .abandoned, .stopped:
      return PluginFailure(.unsupported, error.message)
    }
  }
}
