import BrokerInterface
import Glibc
import Monitor
import PluginHost
import PluginKit
import Supervisor
import UnixSocket
import Varlink

/// One process of the plugin, started and limited as by the broker.
final class PluginProcess: Sendable {
  let child: ChildProcess

  private let plugin: CheckedPlugin

  /// Starts the program, without the handshake.
  init(_ plugin: CheckedPlugin) throws {
    self.plugin = plugin
    do { child = try ChildProcess.start(plugin.program) } catch {
      throw Complaint(error.message)
    }
  }

  var isRunning: Bool { child.exitStatus == nil }

  func end() {
    child.kill()
    _ = child.waitForExit(until: .after(.seconds(2)))
    Descendants.settle()
  }

  /// Performs the broker's handshake.
  /// - Returns: a storage's capabilities; nil means all.
  /// - Throws: the plugin's error, or the broker's refusal.
  @discardableResult
  func start() throws -> Set<StorageCapability>? {
    let limit = Duration.seconds(10)
    child.killAt(.after(limit))
    defer { child.killAt(.never) }
    do {
      return try PluginHandshake(kind: plugin.kind, name: plugin.name, settings: plugin.settings).perform(
        on: child.connection)
    } catch let failure as PluginFailure {
      throw failure
    } catch {
      throw complaint("the handshake", limit, error)
    }
  }

  /// - Throws: the plugin's own errors as `PluginFailure`; any problem that would end its process
  ///   as a `Complaint`.
  func call<Method: VarlinkMethod>(
    _ method: Method.Type, _ parameters: Method.Parameters, descriptor: Int32? = nil, within limit: Duration
  ) throws -> Method.Reply {
    child.killAt(.after(limit))
    defer { child.killAt(.never) }
    let result: Result<Method.Reply, PluginFailure>
    do {
      result = try IsolatedPlugin.exchange(Method.self, parameters, descriptor: descriptor, on: child.connection)
    } catch {
      throw complaint(Self.words(Method.name, parameters), limit, error)
    }
    if case .failure = result { plugin.refusedCall.words = Self.words(Method.name, parameters) }
    return try result.get()
  }

  /// Makes a call that every plugin of its protocol answers.
  func probe(_ kind: PluginProtocol) throws {
    switch kind {
    case .storage: _ = try call(Plugin.Facts.self, .init(), within: .seconds(10))
    case .albumPolicy: _ = try call(Plugin.DecideAlbums.self, .init(isLimited: true, albums: []), within: .seconds(5))
    case .cloudMapping:
      _ = try call(Plugin.NameItems.self, .init(application: "org.example.App", items: []), within: .seconds(30))
    }
  }

  /// The reason why the broker would have ended the process.
  private func complaint(_ call: String, _ limit: Duration, _ error: any Error) -> Complaint {
    let isClosed = (error as? UnixSocketError)?.code == .closed
    let ended = isClosed ? child.waitForExit(until: .after(.milliseconds(500))) : child.exitStatus
    if child.missedDeadline {
      return Complaint(
        "\(call) timed out after \(limit), and the broker would end the process. Answer sooner, or with less at a time."
      )
    }
    if let ended {
      let words = lastWords
      return Complaint(
        "It \(ended) during \(call). "
          + (words.isEmpty ? "It said nothing. Print the reason to standard error." : "It said: \(words)"))
    }
    if isClosed { return Complaint("It closed its socket during \(call). Answer, and keep the socket open.") }
    return Complaint(
      "Its answer to \(call) is invalid, and the broker would end the process: \(IsolatedPlugin.plain("\(error)"))"
    )
  }

  /// The last line of its error output, made safe for terminals.
  var lastWords: String { child.errorLines.last.map { IsolatedPlugin.plain($0) } ?? "" }

  /// A call for a person, such as `Read {"locator":"a.jpg","offset":0}`.
  private static func words(_ method: String, _ parameters: some VarlinkEncodable) -> String {
    let json = String(decoding: parameters.jsonBytes, as: UTF8.self)
    let shown = json == "{}" ? "" : " " + IsolatedPlugin.plain(json, limit: 300) + (json.count > 300 ? "…" : "")
    return (method.split(separator: ".").last.map(String.init) ?? method) + shown
  }

  /// Sends bytes without the terminating NUL.
  func send(raw bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes {
        Glibc.send(child.connection.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if sent < 0, errno == EINTR || errno == EAGAIN { continue }
      try expect(sent > 0, "It closed its socket before the first call. Keep it open.")
      rest = rest.dropFirst(sent)
    }
  }

  /// Whether the next message is an error; nil if the process ended or closed its socket.
  func answersWithError(within limit: Duration) throws -> Bool? {
    do {
      guard let frame = try child.connection.receive(deadline: .after(limit)) else { return nil }
      return try Varlink.Reply(message: frame.bytes).error != nil
    } catch let error as UnixSocketError where error.code == .closed {
      return nil
    } catch let error as UnixSocketError where error.code == .timedOut {
      throw Complaint("It did not answer within \(limit). Answer sooner.")
    }
  }

  /// Number of entries in its private folder; nil if it has none, or it cannot be read.
  var scratchCount: Int? {
    let name = Array("TMPDIR=".utf8)
    guard let variables = Self.contents("/proc/\(child.pid)/environ"),
      let own = variables.split(separator: 0).first(where: { $0.starts(with: name) })
    else { return nil }
    return FolderListing.names(in: String(decoding: own.dropFirst(name.count), as: UTF8.self))?.count
  }

  private static func contents(_ path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(file, &bytes, bytes.count)
    return count < 0 ? nil : Array(bytes[..<count])
  }

  /// Number of open descriptors of the process; nil if it cannot be read.
  var descriptorCount: Int? { FolderListing.names(in: "/proc/\(child.pid)/fd")?.count }

  /// Checks that calls since then left no descriptor open.
  /// - Parameters:
  ///   - before: the number of descriptors then; nil if it was not known.
  ///   - advice: the remedy.
  func expectDescriptors(since before: Int?, after calls: String, _ advice: String) throws {
    guard let before, let now = descriptorCount else { return }
    try expect(now <= before + 8, "It had \(before) open descriptors, and \(now) after \(calls). \(advice)")
  }

  /// Kills the process soon, in the middle of the call that follows.
  func kill(afterMicroseconds delay: UInt32) throws {
    let child = child
    let isStarted = DetachedThread.start {
      usleep(delay)
      child.kill()
    }
    if !isStarted { throw Skip("No thread could be started here.") }
  }
}
