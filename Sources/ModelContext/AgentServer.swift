import Foundation
import Limits
package import PhotoBroker
import Synchronization
import Varlink

/// A Model Context Protocol server on two descriptors: JSON-RPC messages, one per line.
///
/// An agent is an ordinary app: its grant, token and ledger entries are its own. Agents of the
/// revisions with a handshake are served, and those of the stateless ones, whose every request names
/// its revision.
///
/// Source: https://modelcontextprotocol.io/specification/2026-07-28
package final class AgentServer: Sendable {
  package struct Options: Sendable {
    package var socket = PhotoLibrary.defaultSocketPath
    package var library: String?
    /// The name that people see, and the identifier of the grant; by default from the agent's own name.
    package var name: String?
    package var identifier: String?
    /// The store of a token that a person handed over.
    package var tokens: TokenFile?
    package var isReadOnly = false

    package init() {}
  }

  /// Calls at one time. More are refused, so that an agent cannot fill the memory.
  private static let callLimit = 16
  /// Bytes of one message.
  private static let messageLimit = 1 << 20
  /// Agents of different names at one time.
  private static let agentLimit = 16
  /// Revisions with a handshake, and stateless ones; the newest first.
  private static let revisions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
  private static let statelessRevisions = ["2026-07-28"]

  private static let instructions = """
    These are somebody's photos, and they decide what you see. Call `access` first. If it says notDetermined, call \
    ask_for_access once. "limited" means that the owner chose some photos for you: the library behaves as if it held \
    nothing else, so do not conclude that other photos do not exist. Ask for more with ask_for_more_photos if a task \
    needs it. Photos can leave your view at any time; then say so, and do not try to get around it. Places and captions \
    may be withheld. Every photo that you look at is on record for the owner.
    """

  private struct State {
    /// By the agents' names.
    var libraries: [String: PhotoLibrary] = [:]
    /// The name that the handshake gave.
    var agent: String?
    var calls: [JSONValue: Task<Void, Never>] = [:]
  }

  private let options: Options
  private let tools: [Tool]
  private let output: Int32
  private let state = Mutex(State())
  private let writing = Mutex<Void>(())

  package init(_ options: Options, output: Int32 = STDOUT_FILENO) {
    self.options = options
    self.output = output
    tools = Tools.all.filter { !options.isReadOnly || [.reads, .saves].contains($0.effect) }
  }

  /// Serves until the input ends. An agent that does not read its answers is not read either.
  package func serve(_ input: Int32 = STDIN_FILENO) async {
    await withCheckedContinuation { end in
      Thread.detachNewThread { [self] in
        receiveLines(of: input)
        end.resume()
      }
    }
    for call in state.withLock({ Array($0.calls.values) }) { call.cancel() }
  }

  private func receiveLines(of input: Int32) {
    var (line, isTooLong) = ([UInt8](), false)
    var piece = [UInt8](repeating: 0, count: 65_536)
    while case let count = read(input, &piece, piece.count), count > 0 {
      for byte in piece[..<count] {
        if byte == 10 {
          if isTooLong {
            fail(.null, -32700, "A message may have at most \(Self.messageLimit) bytes.")
          } else {
            receive(line)
          }
          (line, isTooLong) = ([], false)
        } else if line.count < Self.messageLimit {
          line.append(byte)
        } else {
          isTooLong = true
        }
      }
    }
  }

  private func receive(_ line: [UInt8]) {
    guard line.contains(where: { $0 > 32 }) else { return }
    guard let message = try? JSONObject(message: line.span, rules: .client) else {
      return fail(.null, -32700, "This is no JSON object.")
    }
    guard case .string(let method)? = message["method"] else {
      // Answers to requests, of which this server makes none.
      if message["result"] == nil, message["error"] == nil {
        fail(message["id"] ?? .null, -32600, "method is missing.")
      }
      return
    }
    var parameters = JSONObject()
    if case .object(let given)? = message["params"] { parameters = given }
    guard let id = message["id"], id != .null else {
      if method == "notifications/cancelled", let call = parameters["requestId"] {
        state.withLock { $0.calls.removeValue(forKey: call) }?.cancel()
      }
      return
    }
    start(id, method, parameters)
  }

  private func start(_ id: JSONValue, _ method: String, _ parameters: JSONObject) {
    let refusal = state.withLock { state -> String? in
      if state.calls[id] != nil { return "Another call has this id." }
      // Answers that wait for nothing show that the server lives.
      if ["tools/call", "resources/list", "resources/read"].contains(method), state.calls.count >= Self.callLimit {
        return "At most \(Self.callLimit) calls run at one time; wait for one."
      }
      state.calls[id] = Task {
        do {
          let result = try await self.answer(method, parameters)
          if self.end(id) { self.send(["jsonrpc": .string("2.0"), "id": id, "result": .object(result)]) }
        } catch let error as ProtocolError {
          if self.end(id) { self.fail(id, error.code, error.text, error.data) }
        } catch {
          if self.end(id) { self.fail(id, -32603, "\(error)") }
        }
      }
      return nil
    }
    if let refusal { fail(id, -32000, refusal) }
  }

  /// Whether the call has not been cancelled: cancelled calls get no answer.
  private func end(_ id: JSONValue) -> Bool { state.withLock { $0.calls.removeValue(forKey: id) != nil } }

  private struct ProtocolError: Error {
    let code: Int64
    let text: String
    var data: JSONValue?
  }

  /// The agent's name and revision in a request.
  private struct Sender {
    var agent: String?
    var isStateless = false

    init(_ parameters: JSONObject) throws {
      guard case .object(let meta)? = parameters["_meta"],
        case .string(let revision)? = meta["io.modelcontextprotocol/protocolVersion"]
      else { return }
      guard AgentServer.statelessRevisions.contains(revision) else {
        throw ProtocolError(
          code: -32022, text: "The revision \(revision.prefix(64)) is not supported.",
          data: .object([
            "supported": .array(AgentServer.statelessRevisions.map { .string($0) }), "requested": .string(revision),
          ]))
      }
      isStateless = true
      agent = AgentServer.name(of: meta["io.modelcontextprotocol/clientInfo"])
    }
  }

  private static func name(of client: JSONValue?) -> String? {
    guard case .object(let client)? = client, case .string(let name)? = client["name"], !name.isEmpty else {
      return nil
    }
    // The broker refuses longer names, and those that people cannot be shown.
    return name.utf8.count <= 256 && name.isShowableAsName && !name.isNameOfBroker ? name : nil
  }

  private func answer(_ method: String, _ parameters: JSONObject) async throws -> JSONObject {
    let sender = try Sender(parameters)
    var result = try await answer(method, parameters, from: sender)
    guard sender.isStateless else { return result }
    result["resultType"] = .string("complete")
    // An agent's view can change at any time.
    if method != "tools/call" { (result["ttlMs"], result["cacheScope"]) = (.integer(0), .string("private")) }
    return result
  }

  private func answer(_ method: String, _ parameters: JSONObject, from sender: Sender) async throws -> JSONObject {
    switch method {
    case "initialize": return initialize(parameters)
    case "server/discover":
      var result = description
      result["supportedVersions"] = .array(Self.statelessRevisions.map { .string($0) })
      return result
    case "ping": return [:]
    case "tools/list": return ["tools": .array(tools.map(\.listing))]
    case "tools/call": return try await call(parameters, from: sender)
    case "resources/list": return try await listResources(parameters, from: sender)
    case "resources/templates/list": return ["resourceTemplates": .array([Resource.template])]
    case "resources/read": return try await readResource(parameters, from: sender)
    default: throw ProtocolError(code: -32601, text: "There is no method \(method.prefix(64)).")
    }
  }

  private func initialize(_ parameters: JSONObject) -> JSONObject {
    let agent = Self.name(of: parameters["clientInfo"])
    state.withLock { $0.agent = agent }
    var revision = Self.revisions[0]
    if case .string(let wanted)? = parameters["protocolVersion"], Self.revisions.contains(wanted) { revision = wanted }
    var result = description
    result["protocolVersion"] = .string(revision)
    return result
  }

  private var description: JSONObject {
    [
      "capabilities": .object(["tools": .object([:]), "resources": .object([:])]),
      "serverInfo": .object([
        "name": .string("photobroker"), "title": .string("PhotoBroker"), "version": .string(Product.version),
      ]),
      "instructions": .string(Self.instructions),
    ]
  }

  /// The library as the sender sees it: an agent of another name is another app.
  private func library(of sender: Sender) throws -> PhotoLibrary {
    try state.withLock { state in
      let agent = sender.agent ?? state.agent ?? "agent"
      if let library = state.libraries[agent] { return library }
      guard state.libraries.count < Self.agentLimit else {
        throw ProtocolError(code: -32000, text: "At most \(Self.agentLimit) agents use one server; start another.")
      }
      let library = makeLibrary(for: agent)
      state.libraries[agent] = library
      return library
    }
  }

  private func makeLibrary(for agent: String) -> PhotoLibrary {
    let name = options.name ?? agent
    let manifest = AppManifest(
      identifier: options.identifier ?? AppManifest.identifier(in: "io.photobroker.mcp", name: agent, key: agent),
      name: name,
      usageDescription: "\(name) is an AI agent. It can look at the photos that you choose and send them to its model.",
      addUsageDescription: "\(name) is an AI agent. It adds photos to your library.", hasScreen: false,
      preventsAutomaticLimitedAccessAlert: true, readOnly: options.isReadOnly)
    return PhotoLibrary(
      socketPath: options.socket, manifest: manifest, tokenStore: options.tokens, name: options.library)
  }

  private func call(_ parameters: JSONObject, from sender: Sender) async throws -> JSONObject {
    guard case .string(let name)? = parameters["name"], let tool = tools.first(where: { $0.name == name }) else {
      throw ProtocolError(
        code: -32602, text: "There is no such tool. Tools: \(tools.map(\.name).joined(separator: ", ")).")
    }
    var arguments = JSONObject()
    switch parameters["arguments"] {
    case .object(let given)?: arguments = given
    case nil, .null?: break
    default: throw ProtocolError(code: -32602, text: "arguments must be an object.")
    }
    let context = Tool.Context(library: try library(of: sender), report: progress(of: parameters))
    do {
      if tool.needsDecision, try await isUndecided(context.library) {
        throw Mistake(text: "Nobody has decided yet what you may see. Call ask_for_access first.")
      }
      let input = ToolInput(arguments)
      try input.refuseOthers(than: tool.arguments.map(\.name))
      return ["content": .array(try await tool.run(input, context)), "isError": .bool(false)]
    } catch let error where !(error is CancellationError) {
      return ["content": .array([Content.text(Self.text(of: error))]), "isError": .bool(true)]
    }
  }

  /// Whether a fetch would ask the owner. Agents fetch at their start, and must not ask by that.
  private func isUndecided(_ library: PhotoLibrary) async throws -> Bool {
    try await library.authorizationStatus(for: .readWrite) == .notDetermined
  }

  /// A failed call's text for the model, which reads the error and decides what to do.
  static func text(of error: any Error) -> String { (error as? Mistake)?.text ?? "\(error)" }

  /// Sends a progress notification, if the call asked for them.
  private func progress(of parameters: JSONObject) -> @Sendable (String) -> Void {
    guard case .object(let meta)? = parameters["_meta"], let token = meta["progressToken"] else { return { _ in } }
    let count = Mutex<Int64>(0)
    return { [self] text in
      let step = count.withLock { number in
        number += 1
        return number
      }
      send([
        "jsonrpc": .string("2.0"), "method": .string("notifications/progress"),
        "params": .object([
          "progressToken": token, "progress": .integer(step), "message": .string(text),
        ]),
      ])
    }
  }

  private func listResources(_ parameters: JSONObject, from sender: Sender) async throws -> JSONObject {
    var cursor: String?
    if case .string(let text)? = parameters["cursor"] { cursor = text }
    let library = try library(of: sender)
    guard try await library.authorizationStatus(for: .readWrite).grantsAccess else { return ["resources": .array([])] }
    let (assets, next, _) = try await library.page(of: FetchOptions(), after: cursor)
    var page: JSONObject = ["resources": .array(assets.map(Resource.listing))]
    page["nextCursor"] = next.map { .string($0) }
    return page
  }

  private func readResource(_ parameters: JSONObject, from sender: Sender) async throws -> JSONObject {
    guard case .string(let uri)? = parameters["uri"], let identifier = Resource.identifier(of: uri) else {
      throw ProtocolError(code: -32602, text: "A resource has an address such as \(Resource.scheme)ID.")
    }
    let context = Tool.Context(library: try library(of: sender), report: progress(of: parameters))
    do {
      if try await isUndecided(context.library) { throw Mistake(text: "Nobody has decided yet what you may see.") }
      let asset = try await Tools.asset(identifier, context)
      let data = try await Tools.picture(of: asset, maxPixels: 1_024, context)
      return [
        "contents": .array([
          .object([
            "uri": .string(uri), "mimeType": .string("image/jpeg"), "blob": .string(data.base64EncodedString()),
          ])
        ])
      ]
    } catch let error where !(error is CancellationError) {
      throw ProtocolError(code: -32002, text: Self.text(of: error))
    }
  }

  private func fail(_ id: JSONValue, _ code: Int64, _ text: String, _ data: JSONValue? = nil) {
    var error: JSONObject = ["code": .integer(code), "message": .string(text)]
    error["data"] = data
    send(["jsonrpc": .string("2.0"), "id": id, "error": .object(error)])
  }

  private func send(_ message: JSONObject) {
    let bytes = message.jsonBytes + [10]
    writing.withLock { _ in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
        if count < 0 && errno == EINTR { continue }
        // The agent has exited; the input ends as well.
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }
  }
}

/// Photos as resources.
enum Resource {
  static let scheme = "photo:///"

  static let template: JSONValue = .object([
    "uriTemplate": .string(scheme + "{id}"), "name": .string("photo"), "title": .string("A photo by its id"),
    "mimeType": .string("image/jpeg"),
  ])

  static func listing(_ asset: Asset) -> JSONValue {
    .object([
      "uri": .string(scheme + asset.localIdentifier), "name": .string(asset.filename),
      "mimeType": .string("image/jpeg"),
    ])
  }

  static func identifier(of uri: String) -> String? {
    guard uri.hasPrefix(scheme) else { return nil }
    return String(uri.dropFirst(scheme.count))
  }
}
