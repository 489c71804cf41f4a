import BrokerInterface
import Varlink

/// One run of one command: what was typed, where words go, and the broker once it is needed.
final class Invocation {
  let arguments: Arguments
  let console: any Console
  let environment: [String: String]
  private var connected: BrokerClient?
  private var knownApps: [Admin.AppInfo]?

  init(_ arguments: Arguments, console: any Console, environment: [String: String]) {
    (self.arguments, self.console, self.environment) = (arguments, console, environment)
  }

  var isJSON: Bool { arguments.has(.json) }
  /// Whether a change is shown and asked about first.
  var asksFirst: Bool { console.canAsk && !arguments.has(.yes) && !isJSON }

  /// The owner's socket of the broker, connected at the first call.
  ///
  /// - Throws: `unavailable`, `notPermitted`.
  func broker() throws(CommandError) -> BrokerClient {
    if let connected { return connected }
    let client = try BrokerClient(path: SocketLocation.owner(arguments, environment))
    connected = client
    return client
  }

  /// Calls a method of the owner's socket.
  ///
  /// - Throws: what the broker answered.
  func call<Method: VarlinkMethod>(
    _ method: Method.Type, _ parameters: Method.Parameters
  ) throws(CommandError) -> Answer<Method.Reply> {
    try broker().call(method, parameters)
  }

  /// Calls a method of the owner's socket for all of its list.
  ///
  /// - Throws: what the broker answered.
  func callForAll<Method: ListMethod>(
    _ method: Method.Type, _ parameters: Method.Parameters
  ) throws(CommandError) -> Answer<Method.Reply> {
    try broker().callForAll(method, parameters)
  }

  /// The app that was typed: its name here, or its manifest's identifier where only one app has it.
  ///
  /// - Throws: `usage` where several have it, naming them.
  func app(_ text: String) throws(CommandError) -> String {
    let apps = try apps()
    if apps.contains(where: { $0.app == text }) { return text }
    let named = apps.filter { $0.identifier == text }
    if named.count > 1 {
      let lines = named.map { "\($0.app)  \(Words.user($0.uid)), introduced \(Words.moment($0.introduced))" }
      throw .usage("\(named.count) apps call themselves \(text); say which one:\n" + lines.joined(separator: "\n"))
    }
    // An app that is not listed to this caller may still be known to the broker.
    return named.first?.app ?? text
  }

  /// The app that an option names; nil where it was not given.
  func app(_ option: CommandOption) throws(CommandError) -> String? {
    guard let text = arguments[option] else { return nil }
    return try app(text)
  }

  /// For what was recorded of apps, of which some may be removed: the app by its name here, or else
  /// all that call themselves so.
  ///
  /// - Throws: `usage` where several that are there call themselves so, naming them.
  func recordedApps(_ option: CommandOption) throws(CommandError) -> (app: String?, identifier: String?) {
    guard let text = arguments[option] else { return (nil, nil) }
    let isName = text.utf8.count == 32 && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    if isName { return (text, nil) }
    _ = try app(text)
    return (nil, text)
  }

  /// Refuses an app of which nothing is known: "nothing was handed over" would be an answer about
  /// another one than is meant.
  ///
  /// - Parameter isOnRecord: whether anything at all is on record of it; asked where it is not
  ///   listed.
  /// - Throws: `notFound`.
  func requireRecorded(_ app: String?, _ identifier: String?, _ isOnRecord: () throws(CommandError) -> Bool)
    throws(CommandError)
  {
    guard let text = app ?? identifier, try !apps().contains(where: { $0.app == text || $0.identifier == text }),
      try !isOnRecord()
    else { return }
    throw CommandError(
      .notFound, "No app \(text) is known to you, and nothing is on record of one; see photobroker app list.")
  }

  /// All apps that the broker lists to the caller.
  func apps() throws(CommandError) -> [Admin.AppInfo] {
    if let knownApps { return knownApps }
    let apps = try callForAll(Admin.ListApps.self, .init()).value.apps
    knownApps = apps
    return apps
  }
}
