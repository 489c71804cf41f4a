import BrokerInterface
package import PluginKit
package import Supervisor
import UnixSocket
package import Varlink

/// A plugin in a process of its own, as the broker calls it. What it answers is hostile input: limited, checked, and
/// never more than the protocol allows. Calls block and belong on workers.
package final class IsolatedPlugin: Sendable {
  /// A reply, in bytes: a page of items with long names.
  private static let replyLimitBytes = 8 << 20

  package let name: String
  private let supervisor: Supervisor

  /// - Parameter program: What to run; it finds its socket as descriptor 3.
  package init(protocol protocolName: String, name: String, options: [String: String], program: ChildOptions) {
    self.name = name
    let start = Plugin.Start.Parameters(protocol: protocolName, name: name, options: options)
    supervisor = Supervisor(program) { connection in
      let reply: Plugin.Start.Reply = try Self.exchange(Plugin.Start.name, start, on: connection).get()
      guard reply.kit == Int64(PluginKitVersion.current) else {
        throw PluginFailure(.failed, "was built with kit \(reply.kit), and this broker has kit \(PluginKitVersion.current): build it again")
      }
    }
  }

  /// - Throws: what the plugin answered, or how its process failed, prefixed with its name.
  package func call<Parameters: VarlinkEncodable & Sendable, Reply: VarlinkDecodable & Sendable>(
    _ method: String, _ parameters: Parameters, deadline: Duration, descriptor: Int32? = nil, as type: Reply.Type = Reply.self
  ) throws(PluginFailure) -> Reply {
    let result: Result<Reply, PluginFailure>
    do {
      result = try supervisor.withConnection(deadline: deadline) { connection in
        try Self.exchange(method, parameters, descriptor: descriptor, on: connection)
      }
    } catch {
      throw PluginFailure(.offline, "\(name): \(error)")
    }
    switch result {
    case .success(let reply): return reply
    case .failure(let failure): throw PluginFailure(failure.code, "\(name): \(failure.message)")
    }
  }

  package func stop() { supervisor.stop() }

  /// What the process last wrote to its error output, for the operator.
  package var errorLines: [String] { supervisor.errorLines }

  /// The plugin's own errors are answers; whatever else is wrong throws, which ends the process.
  private static func exchange<Parameters: VarlinkEncodable, Reply: VarlinkDecodable>(
    _ method: String, _ parameters: Parameters, descriptor: Int32? = nil, on connection: BlockingConnection
  ) throws -> Result<Reply, PluginFailure> {
    var writer = JSONWriter()
    writer.appendCall(method, parameters)
    let bytes = writer.withUnsafeBytes { [UInt8]($0.dropLast()) }
    var descriptors = OwnedDescriptors()
    if let descriptor { descriptors.append(try FileDescriptor(owning: descriptor).duplicateAndForget()) }
    try connection.send(bytes.span, descriptors: descriptors)
    guard let frame = try connection.receive() else { throw PluginFailure(.offline, "closed its socket") }
    let rules = DecodingRules(
      rejectsUnknownFields: false, arrayLimit: 2_000, stringLimitBytes: 65_536, messageLimitBytes: replyLimitBytes)
    let reply = try Varlink.Reply(message: frame.bytes)
    guard let error = reply.error else { return .success(try reply.decode(Reply.self, rules: rules)) }
    guard error == "io.photobroker.Plugin.PluginError" else { throw PluginFailure(.failed, "answered \(error.prefix(128))") }
    let details = try reply.decode(Plugin.PluginError.self, rules: rules)
    return .failure(
      PluginFailure(PluginError.Code(rawValue: details.code) ?? .failed, String(details.message.prefix(512))))
  }
}

/// Why a plugin did not do something, with the plugin's name in front.
package struct PluginFailure: Error, Sendable, Equatable, CustomStringConvertible {
  package let code: PluginKit.PluginError.Code
  package let message: String

  package init(_ code: PluginKit.PluginError.Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }
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
