import BrokerInterface
import PluginKit
package import Supervisor
import UnixSocket

/// A plugin's process that lives for one handshake, for whoever decides whether the plugin is to be used.
extension IsolatedPlugin {
  private static let trialLimit = Duration.seconds(10)

  /// Has a program say what it is, in a process that ends with this call.
  /// - Returns: Nil: it does not say; a program of another language need not.
  /// - Throws: how it failed, for the plugin's author; `unsupported` for another kit, and for what
  ///   the plugin host cannot load.
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

  /// Has a program start with the settings of one of its libraries, in a process that ends with
  /// this call.
  /// - Throws: why it does not start, without secrets. That it is offline says nothing of the
  ///   program, and is no failure.
  package static func tryStart(
    _ kind: PluginProtocol, _ name: String, _ settings: PluginSettings, _ program: ChildOptions
  ) throws(PluginFailure) {
    let plugin = IsolatedPlugin(kind, name: name, settings: settings, program: program)
    defer { plugin.stop() }
    do throws(SupervisorError) {
      // The handshake comes before this.
      try plugin.supervisor.withConnection(deadline: trialLimit) { _ in }
    } catch {
      let failure = plugin.told(error, during: "Start", isObject: !program.arguments.isEmpty)
      if error.underlying is PluginFailure, failure.code == .offline { return }
      throw failure
    }
    if kind == .storage, !plugin.offers(.read) { try plugin.mustNameRoot() }
  }

  /// - Throws: `unsupported` where the broker would have no way to a photo's bytes.
  private func mustNameRoot() throws(PluginFailure) {
    let facts: Plugin.Facts.Reply
    do throws(PluginFailure) {
      facts = try call(Plugin.Facts.name, Plugin.Facts.Parameters(), deadline: Self.trialLimit)
    } catch {
      if error.code == .offline { return }
      throw error
    }
    guard facts.root != nil else {
      throw PluginFailure(
        .unsupported, "Its facts name no root and its handshake does not offer read, so that no photo could be read.")
    }
  }

  /// Why a handshake failed, and what an author can do about it.
  private func told(_ error: SupervisorError, during call: String, isObject: Bool) -> PluginFailure {
    if let known = error.underlying as? PluginFailure {
      return PluginFailure(known.code, settings.redacted(known.message))
    }
    let said = errorLines.last.map { settings.redacted(Self.plain($0)) } ?? ""
    let words = said.isEmpty ? "" : " It said: \(said)"
    if let ended = error.ended {
      // The plugin host says in whole sentences what is wrong with an object.
      if isObject, ended == .exited(1), !said.isEmpty { return PluginFailure(.unsupported, said) }
      return PluginFailure(.unsupported, "It \(ended) before it answered \(call) of io.photobroker.Plugin.\(words)")
    }
    switch error.code {
    case .deadlineExceeded:
      return PluginFailure(
        .unsupported,
        "It did not answer \(call) of io.photobroker.Plugin within \(Self.trialLimit.components.seconds) seconds, and was ended.\(words)"
      )
    case .protocolViolation where (error.underlying as? UnixSocketError)?.code == .closed:
      return PluginFailure(
        .unsupported, "It closed its socket before it answered \(call) of io.photobroker.Plugin.\(words)")
    case .protocolViolation:
      let reason = error.underlying.map { Self.plain("\($0)") } ?? ""
      return PluginFailure(.unsupported, "What it answered to \(call) is not as io.photobroker.Plugin says: \(reason)")
    case .childExited, .startFailed, .unavailable, .abandoned, .stopped:
      return PluginFailure(.unsupported, error.message)
    }
  }
}
