import BrokerInterface
package import PluginKit
package import Supervisor
import Synchronization
package import UnixSocket
package import Varlink

/// A plugin in a process of its own, as the broker calls it. What it answers is hostile input: limited, checked, and
/// never more than the protocol allows. Calls block and belong on workers.
package final class IsolatedPlugin: Sendable {
  package let name: String
  private let prefix: String
  let supervisor: Supervisor
  let settings: PluginSettings
  /// Why the plugin would not start, for as long as the supervisor does not try again.
  private let refusal = Mutex<PluginFailure?>(nil)

  /// What the running process may be asked for, as its handshake said; nil: everything.
  private let capabilities: Granted

  private final class Granted: Sendable {
    let all = Mutex<Set<StorageCapability>?>(nil)
  }

  /// - Parameter program: What to run; it finds its socket as descriptor 3.
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

  /// For a process that is only asked what it is.
  init(describing name: String, program: ChildOptions) {
    self.name = name
    settings = PluginSettings()
    prefix = "plugin(\(name)): "
    capabilities = Granted()
    supervisor = Supervisor(program)
  }

  /// - Parameter isTransfer: Whether the descriptor is a pipe that the plugin writes into; the call
  ///   ends soon after nobody reads from it.
  /// - Throws: what the plugin answered, or how its process failed, prefixed with its name.
  package func call<Parameters: VarlinkEncodable & Sendable, Reply: VarlinkDecodable & Sendable>(
    _ method: String, _ parameters: Parameters, needing capability: StorageCapability? = nil, deadline: Duration,
    descriptor: Int32? = nil, isTransfer: Bool = false, as type: Reply.Type = Reply.self
  ) throws(PluginFailure) -> Reply {
    let pipe = isTransfer ? descriptor : nil
    let result: Result<Reply, PluginFailure>
    do {
      result = try supervisor.withConnection(deadline: deadline) { connection in
        // Known from the handshake, which came before this.
        if let capability, !offers(capability) { return .failure(.lacking(capability)) }
        // It may have been given up while other calls had the turn.
        if let pipe, !Self.isRead(pipe) { return .failure(PluginFailure(.failed, "Nobody waits for it any more.")) }
        return try Self.exchange(method, parameters, descriptor: descriptor, pipe: pipe, on: connection)
      }
    } catch {
      throw explain(error)
    }
    refusal.withLock { $0 = nil }
    switch result {
    case .success(let reply): return reply
    case .failure(let failure):
      // A folder that was away is within reach of processes that are started once it is back.
      if failure.code == .offline { supervisor.renew() }
      throw named(failure)
    }
  }

  /// Whether its process may be asked for something, as its handshake said.
  func offers(_ capability: StorageCapability) -> Bool {
    (capabilities.all.withLock { $0 } ?? StorageCapability.usual).contains(capability)
  }

  private func named(_ failure: PluginFailure) -> PluginFailure {
    PluginFailure(failure.code, prefix + settings.redacted(failure.message))
  }

  /// What an operator can do something about: why it would not start, else the last words of the
  /// process, else how it ended.
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

  /// A stranger's text, fit for a terminal and a log.
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

  /// Whether its process runs, which has started with its options then.
  var isRunning: Bool { if case .running = supervisor.status { true } else { false } }

  /// Ends the process and refuses every later call; returns when the process is gone.
  package func stop() { supervisor.stop() }

  /// The same, without waiting.
  func retire() { supervisor.retire() }

  /// What the process last wrote to its error output, for the operator.
  package var errorLines: [String] { supervisor.errorLines }

  /// One call on a plugin's socket. The plugin's own errors are answers; whatever else is wrong
  /// throws, which ends the process.
  /// - Parameters:
  ///   - pipe: What the plugin writes into until it answers, see ``answer(on:writing:)``.
  ///   - acceptsForeignErrors: Whether an error of another interface, such as an unknown method, is
  ///     an answer too.
  package static func exchange<Parameters: VarlinkEncodable, Reply: VarlinkDecodable>(
    _ method: String, _ parameters: Parameters, descriptor: Int32? = nil, pipe: Int32? = nil,
    acceptsForeignErrors: Bool = false,
    on connection: BlockingConnection
  ) throws -> Result<Reply, PluginFailure> {
    // Taken for the next call's answer it could tell of photos that are gone.
    guard !connection.hasUnreceived else {
      throw PluginFailure(.failed, "It answered what nobody asked: one reply for each call.")
    }
    var writer = JSONWriter()
    writer.appendCall(method, parameters)
    let bytes = writer.withUnsafeBytes { [UInt8]($0.dropLast()) }
    var descriptors = OwnedDescriptors()
    if let descriptor { descriptors.append(try FileDescriptor(owning: descriptor).duplicateAndForget()) }
    try connection.send(bytes.span, descriptors: descriptors)
    guard let frame = try answer(on: connection, writing: pipe) else { throw UnixSocketError.closed() }
    guard frame.descriptors.isEmpty else { throw PluginFailure(.failed, "It sent descriptors that nobody asked for.") }
    let rules = DecodingRules(rejectsUnknownFields: false, arrayLimit: 2_000, stringLimitBytes: 65_536)
    let reply = try Varlink.Reply(message: frame.bytes)
    guard let error = reply.error else { return .success(try reply.decode(Reply.self, rules: rules)) }
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
  /// Has a plugin's process write what its options name, and nothing else: the very folders that it
  /// is held to. One path inside of another adds nothing, and could be made a link to anything by
  /// whoever may write the other.
  package mutating func reach(what settings: PluginSettings) {
    let paths = settings.options.values.filter { $0.hasPrefix("/") }
    for path in paths { files?.pinned[path] = settings.pins[path] }
    files?.wanted += paths.filter { path in
      !paths.contains { path.utf8.count > $0.utf8.count && path.utf8.starts(with: ($0 + "/").utf8) }
    }
  }
}

extension FileDescriptor {
  /// A copy of a descriptor that somebody else goes on owning.
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
