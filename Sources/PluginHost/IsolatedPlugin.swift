import BrokerInterface
import Limits
package import PluginKit
package import Supervisor
import Synchronization
package import UnixSocket
package import Varlink

/// A plugin in a process of its own. Its answers are hostile input: limited and checked against the
/// protocol. Calls block and belong on workers.
package final class IsolatedPlugin: Sendable {
  package let name: String
  private let prefix: String
  let supervisor: Supervisor
  let settings: PluginSettings
  /// The failure of the last start, while the supervisor pauses.
  private let refusal = Mutex<PluginFailure?>(nil)

  /// Capabilities from the running process's handshake; nil means all.
  private let capabilities: Granted

  private final class Granted: Sendable {
    let all = Mutex<Set<StorageCapability>?>(nil)
  }

  /// - Parameter program: the program; its socket is descriptor 3.
  package init(_ kind: PluginProtocol, name: String, settings: PluginSettings, program: ChildOptions) {
    self.name = name
    self.settings = settings
    prefix = "\(kind.rawValue)(\(name)): "
    let handshake = PluginHandshake(kind: kind, name: name, settings: settings)
    let granted = Granted()
    capabilities = granted
    var program = program
    program.journal = program.journal.map { RedactedJournal($0, settings) }
    program.reach(what: settings)
    supervisor = Supervisor(program) { connection in
      let found = try handshake.perform(on: connection)
      granted.all.withLock { $0 = found }
    }
  }

  /// Creates a plugin that only describes itself.
  init(describing name: String, program: ChildOptions) {
    self.name = name
    settings = PluginSettings()
    prefix = "plugin(\(name)): "
    capabilities = Granted()
    supervisor = Supervisor(program)
  }

  /// - Parameter isTransfer: whether the descriptor is a pipe into which the plugin writes. The
  ///   call ends soon after the reader closes it.
  /// - Throws: the plugin's error, or the failure of its process, prefixed with its name.
  package func call<Method: VarlinkMethod>(
    _ method: Method.Type, _ parameters: Method.Parameters, needing capability: StorageCapability? = nil,
    deadline: Duration, descriptor: Int32? = nil, isTransfer: Bool = false
  ) throws(PluginFailure) -> Method.Reply {
    let pipe = isTransfer ? descriptor : nil
    let result: Result<Method.Reply, PluginFailure>
    do {
      result = try supervisor.withConnection(deadline: deadline) { connection in
        // `withConnection` performs the handshake first.
        if let capability, !offers(capability) { return .failure(.lacking(capability)) }
        // The reader may have cancelled while other calls had the turn.
        if let pipe, !Self.isRead(pipe) { return .failure(PluginFailure(.failed, "The call was cancelled.")) }
        return try Self.exchange(method, parameters, descriptor: descriptor, pipe: pipe, on: connection)
      }
    } catch {
      throw explain(error)
    }
    refusal.withLock { $0 = nil }
    switch result {
    case .success(let reply): return reply
    case .failure(let failure):
      // Only processes started after a folder's return can reach it.
      if failure.code == .offline { supervisor.renew() }
      throw named(failure)
    }
  }

  func offers(_ capability: StorageCapability) -> Bool {
    (capabilities.all.withLock { $0 } ?? StorageCapability.usual).contains(capability)
  }

  private func named(_ failure: PluginFailure) -> PluginFailure {
    PluginFailure(failure.code, prefix + settings.redacted(failure.message))
  }

  /// The most useful explanation for an operator: the failed start, else the last error line of the
  /// process, else its end.
  private func explain(_ error: SupervisorError) -> PluginFailure {
    switch error.code {
    case .stopped: return PluginFailure(.offline, prefix + error.message)
    case .abandoned: return PluginFailure(.failed, prefix + error.message)
    case .unavailable: if let known = refusal.withLock({ $0 }) { return named(known) }
    case .childExited, .startFailed, .deadlineExceeded, .protocolViolation:
      let words = supervisor.errorLines.last.map { Self.plain($0) }
      let isEnd = error.code == .childExited || (error.underlying as? UnixSocketError)?.code == .closed
      let failure =
        if let known = error.underlying as? PluginFailure {
          known
        } else if isEnd, let words, !words.isEmpty {
          PluginFailure(.offline, "\(error.message) It said: \(words)")
        } else if let violation = error.underlying, error.code == .protocolViolation {
          PluginFailure(.offline, "\(error.message) \(Self.plain("\(violation)"))")
        } else {
          PluginFailure(.offline, error.message)
        }
      refusal.withLock { $0 = failure }
      return named(failure)
    }
    return PluginFailure(.offline, prefix + error.message)
  }

  /// Text from a plugin, made safe for terminals and logs.
  package static func plain(_ text: String, limit: Int = 512) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.prefix(limit).map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: "?"
          default: scalar
          }
        }))
  }

  var isRunning: Bool { if case .running = supervisor.status { true } else { false } }

  /// Ends the process and refuses later calls. Returns when the process is gone.
  package func stop() { supervisor.stop() }

  /// As ``stop()``, without waiting.
  func retire() { supervisor.retire() }

  /// The last lines of error output, for the operator.
  package var errorLines: [String] { supervisor.errorLines }

  /// Makes one call on a plugin's socket. A `PluginError` is an answer; any other problem throws,
  /// and thereby ends the process.
  /// - Parameters:
  ///   - pipe: the pipe into which the plugin writes until it answers, see ``answer(on:writing:)``.
  ///   - acceptsForeignErrors: whether an error of another interface, such as an unknown method, is
  ///     an answer too.
  package static func exchange<Method: VarlinkMethod>(
    _ method: Method.Type, _ parameters: Method.Parameters, descriptor: Int32? = nil, pipe: Int32? = nil,
    acceptsForeignErrors: Bool = false,
    on connection: BlockingConnection
  ) throws -> Result<Method.Reply, PluginFailure> {
    // A stale reply, taken for the next call's, could tell of deleted photos.
    guard !connection.hasUnreceived else {
      throw PluginFailure(.failed, "It sent a reply without a call. Send one reply for each call.")
    }
    var writer = JSONWriter()
    writer.appendCall(Method.name, parameters)
    let bytes = writer.withUnsafeBytes { [UInt8]($0.dropLast()) }
    var descriptors = OwnedDescriptors()
    if let descriptor { descriptors.append(try FileDescriptor(owning: descriptor).duplicateAndForget()) }
    try connection.send(bytes.span, descriptors: descriptors)
    guard let frame = try answer(on: connection, writing: pipe) else { throw UnixSocketError.closed() }
    guard frame.descriptors.isEmpty else {
      throw PluginFailure(.failed, "It sent descriptors that were not asked for.")
    }
    // The message alone bounds a text, so that a long one costs its item and not the whole answer.
    let rules = DecodingRules(
      rejectsUnknownFields: false, arrayLimit: 2_000, stringLimitBytes: WireLimits.frameBytes)
    let reply = try Varlink.Reply(message: frame.bytes)
    guard let error = reply.error else { return .success(try reply.decode(Method.Reply.self, rules: rules)) }
    guard error == "io.photobroker.Plugin.PluginError" else {
      let failure = PluginFailure(
        .failed, "It answered with an error of another interface: \(plain(String(error.prefix(128))))")
      guard acceptsForeignErrors else { throw failure }
      return .failure(failure)
    }
    let details = try reply.decode(Plugin.PluginError.self, rules: rules)
    return .failure(
      PluginFailure(PluginError.Code(rawValue: details.code) ?? .failed, plain(details.message)))
  }
}

extension ChildOptions {
  /// Allows a plugin's process to write to its pinned folders alone. A path inside another one is
  /// left out: it is redundant, and anyone with write access to the outer folder could replace it
  /// with a link.
  package mutating func reach(what settings: PluginSettings) {
    let paths = settings.options.values.filter { $0.hasPrefix("/") }
    for path in paths { files?.pinned[path] = settings.pins[path] }
    files?.wanted += paths.filter { path in
      !paths.contains { path.utf8.count > $0.utf8.count && path.utf8.starts(with: ($0 + "/").utf8) }
    }
  }
}

extension FileDescriptor {
  /// Duplicates a borrowed descriptor, which stays the caller's.
  fileprivate consuming func duplicateAndForget() throws(UnixSocketError) -> FileDescriptor {
    let copy: FileDescriptor
    do throws(UnixSocketError) { copy = try duplicate() } catch {
      _ = release()
      throw error
    }
    _ = release()
    return copy
  }
}
