import Foundation
import Synchronization
import UnixSocket
import Varlink

@testable import OwnerCommands

/// A broker on a real socket that replies from a script and records calls.
final class ScriptedBroker: Sendable {
  /// The reply to a call.
  enum Scripted: Sendable {
    case reply(String)
    case replies([String])
    case error(String, String)
    case rawMessage(String)
    case hangUp
  }

  let path: String
  private let listener: Int32
  private let script: Mutex<[String: Scripted]>
  private let asked = Mutex<[(method: String, parameters: String)]>([])

  init(in folder: ScratchFolder, named name: String = "admin.sock", _ script: [String: Scripted]) throws {
    path = folder.path + "/" + name
    self.script = Mutex(script)
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard bound == 0, listen(listener, 16) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    Thread.detachNewThread { [self] in accept() }
  }

  /// Ends the thread. Connections end with their clients.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  /// The parameters of each call of a method, in order.
  func calls(_ method: String) -> [String] {
    asked.withLock { $0.filter { $0.method.hasSuffix("." + method) }.map(\.parameters) }
  }

  var methods: [String] { asked.withLock { $0.map { String($0.method.split(separator: ".").last ?? "") } } }

  private func accept() {
    while true {
      let socket = Foundation.accept(listener, nil, nil)
      guard socket >= 0 else { return }
      Thread.detachNewThread { [self] in serve(FileDescriptor(owning: socket)) }
    }
  }

  private func serve(_ socket: consuming FileDescriptor) {
    guard let connection = try? BlockingConnection(socket) else { return }
    while let frame = try? connection.receive(), let call = try? Call(message: frame.bytes) {
      let method = String(call.method.split(separator: ".").last ?? "")
      asked.withLock { $0.append((call.method, String(decoding: call.rawParameters, as: UTF8.self))) }
      switch script.withLock({ $0[method] }) {
      case .reply(let json)?: send(#"{"parameters":\#(json)}"#, connection)
      case .replies(let all)?:
        for (index, json) in all.enumerated() {
          send(#"{"parameters":\#(json)\#(index < all.count - 1 ? #","continues":true"# : "")}"#, connection)
        }
      case .error(let name, let json)?: send(#"{"error":"\#(name)","parameters":\#(json)}"#, connection)
      case .rawMessage(let text)?: send(text, connection)
      case .hangUp?: return connection.shutdown()
      case nil:
        send(#"{"error":"org.varlink.service.MethodNotFound","parameters":{"method":"\#(call.method)"}}"#, connection)
      }
    }
  }

  private func send(_ message: String, _ connection: BlockingConnection) {
    try? connection.send(Array(message.utf8).span)
  }
}

/// Runs a command line against a scripted broker.
func run(
  _ line: String..., broker: ScriptedBroker? = nil, console: RecordedConsole = RecordedConsole(),
  environment: [String: String] = [:]
) -> (status: Int32, console: RecordedConsole) {
  let words = (broker.map { ["--socket", $0.path] } ?? []) + line
  return (CommandLineTool.run(words, environment: environment, console: console), console)
}

/// Runs a command line of these words against a scripted broker.
func runWords(
  _ words: [String], broker: ScriptedBroker, console: RecordedConsole = RecordedConsole()
) -> (status: Int32, console: RecordedConsole) {
  (CommandLineTool.run(["--socket", broker.path] + words, environment: [:], console: console), console)
}
