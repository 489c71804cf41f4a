import Broker
import BrokerInterface
import PluginHost
import UnixSocket
import Varlink

/// One call on its way through the service, and its answer, which may come later.
final class IncomingCall {
  let call: Call
  let connection: Connection
  private(set) var isAnswered = false
  /// The decoded parameters of a long message.
  private let decoded: Result<any Sendable, VarlinkError>?

  init(_ call: Call, on connection: Connection, decoded: Result<any Sendable, VarlinkError>? = nil) {
    self.call = call
    self.connection = connection
    self.decoded = decoded
  }

  var core: ServiceCore { connection.core }
  var isClosed: Bool { connection.isClosed }

  /// Decodes the parameters; an error names the field.
  /// - Throws: `CallFailure.service`.
  func parameters<P: VarlinkDecodable>(_ type: P.Type = P.self) throws(CallFailure) -> P {
    do { return try decode(type) } catch { throw .service(ServiceError(error)) }
  }

  func decode<P: VarlinkDecodable>(_ type: P.Type) throws(VarlinkError) -> P {
    if let decoded, let parameters = try decoded.get() as? P { return parameters }
    return try call.decode(type)
  }

  /// Sends a reply. Unless it continues, the connection's next call follows.
  func reply<R: VarlinkEncodable>(
    _ reply: R, under permit: Permit? = nil, continues: Bool = false, descriptors: SharedDescriptors? = nil
  ) {
    write(under: permit, continues: continues, descriptors: descriptors) { reply.encode(to: &$0) }
  }

  func write(
    under permit: Permit? = nil, continues: Bool = false, descriptors: SharedDescriptors? = nil,
    _ body: (inout JSONWriter) -> Void
  ) {
    guard !isAnswered else { return }
    let isTold = connection.send(under: permit, continues: continues, descriptors: descriptors, body)
    if !isTold { note("accessEnded") }
    if !continues || !isTold { finish() }
  }

  func fail(_ error: some MethodError) {
    guard !isAnswered else { return }
    connection.fail(error)
    note("\(error.name)")
    finish()
  }

  func fail(_ error: BrokerError) {
    guard !isAnswered else { return }
    connection.fail(error)
    note(error.code.name)
    if case .usageDescriptionMissing = error.code { connection.closeWhenSent() }
    finish()
  }

  func fail(_ failure: CallFailure) {
    switch failure {
    case .broker(let error): fail(error)
    case .service(let error): fail(error)
    }
  }

  func attempt(_ body: () throws(CallFailure) -> Void) {
    do { try body() } catch { fail(error) }
  }

  /// Goes on after a wait, unless the client has left meanwhile.
  func resume(_ body: () throws(CallFailure) -> Void) {
    if !isClosed { attempt(body) }
  }

  /// A completion that answers this call with a value.
  func answering<T>(_ answer: @escaping (T) throws(CallFailure) -> Void) -> Completion<T> {
    { [self] result in resume { () throws(CallFailure) in try answer(decide(result.get())) } }
  }

  /// A completion that replies to this call.
  func replying<T, R: VarlinkEncodable>(_ content: @escaping (T) -> R) -> Completion<T> {
    answering { [self] value in reply(content(value)) }
  }

  /// Logs the refusal with the app, method and error; nothing that a client sent, and nothing of a
  /// photo.
  private func note(_ error: String) {
    let method = core.table(of: connection).serves(call.method) ? call.method : "unknown"
    let user = RepeatedNotices.Subject.user(connection.socket.peer.uid)
    if case .app(let session) = connection.role, let app = session.app {
      core.notices.note("a call was refused", of: user, ["app": "\(app.identifier)", "method": method, "error": error])
    } else {
      core.notices.note("a call was refused", of: user, ["method": method, "error": error])
    }
  }

  private var isServing = true

  /// Ends the call. The connection's next call begins with its next turn: at the end of the present
  /// one, or now if the answer came later.
  private func finish() {
    isAnswered = true
    connection.dropDescriptors()
    if !isServing { connection.answeredLater() }
  }

  /// The method has returned; an answer after this comes later.
  func didReturn() { isServing = false }
}

/// The reason of a refusal: the core's decision, or a call that does not fit its interface.
enum CallFailure: Error {
  case broker(BrokerError)
  case service(ServiceError)

  static func refused(_ message: String, _ reason: Reason? = nil) -> Self {
    .broker(BrokerError(.refused, message, reason))
  }

  static func refused(_ reason: Reason.Code, _ message: String, _ values: [String: String] = [:]) -> Self {
    .broker(BrokerError(.refused, reason, message, values))
  }

  static func notPermitted(_ message: String) -> Self { .broker(BrokerError(.notPermitted, message)) }
  static func failed(_ message: String) -> Self { .broker(BrokerError(.failed, message)) }
  static func failed(_ reason: Reason.Code, _ message: String) -> Self {
    .broker(BrokerError(.failed, reason, message))
  }

  static func photos(_ code: PhotosErrorCode, _ message: String) -> Self { .broker(.photos(code, message)) }
  static func notFound(_ what: String, _ advice: String) -> Self { .broker(.notFound(what, advice)) }

  /// - Parameter problem: the rule that the value breaks, for the caller's author; without the value
  ///   itself, which may be long.
  static func invalid(_ parameter: String, _ problem: String) -> Self {
    .service(.invalidParameter(parameter: parameter, problem: problem))
  }

  /// - Parameters:
  ///   - word: the value.
  ///   - words: the values that the parameter can have.
  static func invalid(_ parameter: String, _ word: String, allowed words: some Sequence<String>) -> Self {
    let words = Array(words)
    let hint = NearestWord.nearest(to: word, among: words).map { " (did you mean \($0)?)" } ?? ""
    return invalid(parameter, "it is none of: \(words.joined(separator: ", "))\(hint)")
  }

  /// The case with the name that a parameter gives.
  static func named<Value: CaseIterable>(
    _ name: String, in parameter: String, by key: KeyPath<Value, String>
  ) throws(CallFailure) -> Value {
    guard let value = Value.allCases.first(where: { $0[keyPath: key] == name }) else {
      throw invalid(parameter, name, allowed: Value.allCases.map { $0[keyPath: key] })
    }
    return value
  }

  /// The case with the name that a parameter gives; nil without a name.
  static func named<Value: CaseIterable>(
    _ name: String?, in parameter: String, by key: KeyPath<Value, String>
  ) throws(CallFailure) -> Value? {
    guard let name else { return nil }
    let value: Value = try named(name, in: parameter, by: key)
    return value
  }

  /// Checks the number of a list's entries.
  static func check(
    _ list: some Collection, has range: ClosedRange<Int>, _ parameter: String
  ) throws(CallFailure) {
    guard range.contains(list.count) else { throw invalid(parameter, counted(range)) }
  }

  static let coordinates = "latitudes are -90 to 90 and longitudes -180 to 180, both given"

  static func counted(_ range: ClosedRange<Int>) -> String {
    "the list has \(range.lowerBound) to \(range.upperBound) entries"
  }
}

extension Result where Failure == BrokerError {
  /// Continues with the value; a failure answers the call.
  func orFail(_ call: IncomingCall, _ body: (Success) -> Void) {
    switch self {
    case .failure(let error): call.fail(error)
    case .success(let value): body(value)
    }
  }
}

extension Result where Failure == PluginFailure {
  /// Continues with the value; a failure answers the call.
  func orFail(_ call: IncomingCall, _ body: (Success) -> Void) { mapError { BrokerError($0) }.orFail(call, body) }
}

/// Runs a step of the core inside a method; its error becomes the call's.
@discardableResult
func decide<R>(_ step: @autoclosure () throws(BrokerError) -> R) throws(CallFailure) -> R {
  do { return try step() } catch { throw .broker(error) }
}
