import BrokerInterface
import Varlink

/// One run of one command: its arguments, console and environment, and a lazy connection.
final class Invocation {
  let arguments: Arguments
  let console: any Console
  let environment: [String: String]
  /// How long calls may take; nil: for ever.
  let patience: Duration?
  private var connected: BrokerClient?
  private var knownApps: [Admin.AppInfo]?

  init(
    _ arguments: Arguments, console: any Console, environment: [String: String], patience: Duration? = nil
  ) {
    (self.arguments, self.console, self.environment, self.patience) = (arguments, console, environment, patience)
  }

  var isJSON: Bool { arguments.has(.json) }
  /// Whether the command previews its change and asks for confirmation.
  var asksFirst: Bool { console.canAsk && !arguments.has(.yes) && !isJSON }

  /// The connection to the owner's socket, opened at the first call.
  ///
  /// - Throws: `unavailable`, `notPermitted`.
  func broker() throws(CommandError) -> BrokerClient {
    if let connected { return connected }
    let client = try BrokerClient(path: SocketLocation.owner(arguments, environment), patience: patience)
    connected = client
    return client
  }

  /// Calls a method of the owner's socket.
  ///
  /// - Throws: as `BrokerClient.call`.
  func call<Method: VarlinkMethod>(
    _ method: Method.Type, _ parameters: Method.Parameters
  ) throws(CommandError) -> Answer<Method.Reply> {
    try broker().call(method, parameters)
  }

  /// Calls a paged method of the owner's socket, and joins its pages.
  ///
  /// - Throws: as `BrokerClient.call`.
  func callForAll<Method: PagedMethod>(
    _ method: Method.Type, _ parameters: Method.Parameters
  ) throws(CommandError) -> Answer<Method.Reply> {
    try broker().callForAll(method, parameters)
  }

  /// The name of an app that was typed by its name or its prefix, or by its manifest's identifier. Any
  /// app can show any name, so that one does not count.
  ///
  /// - Throws: `usage` with their names where several apps share it.
  func app(_ text: String) throws(CommandError) -> String {
    let apps = try apps()
    if apps.contains(where: { $0.app == text }) { return text }
    let named = apps.filter { $0.identifier == text || Self.isPrefix(text) && $0.app.hasPrefix(text) }
    // The broker may know an app that it does not list to this caller.
    return try self.named(
      text, "app", named.map { ($0.app, "\(Words.user($0.uid)), introduced \(Words.moment($0.introduced))") })
  }

  /// The app that an option names; nil without the option.
  func app(_ option: CommandOption) throws(CommandError) -> String? {
    guard let text = arguments[option] else { return nil }
    return try app(text)
  }

  /// An app to search records for: by its name, or by an identifier, which removed apps share.
  ///
  /// - Throws: `usage` with their names where several present apps share the identifier.
  func recordedApps(_ option: CommandOption) throws(CommandError) -> (app: String?, identifier: String?) {
    guard let text = arguments[option] else { return (nil, nil) }
    if Self.isWhole(text) { return (text, nil) }
    let (app, apps) = (try app(text), try apps())
    return app == text || apps.contains { $0.identifier == text } ? (nil, text) : (app, nil)
  }

  /// Refuses an app without any record, probably a typing error: an empty list would be misread.
  ///
  /// - Parameter isOnRecord: whether any record of the app exists; called only for apps that are
  ///   not listed.
  /// - Throws: `notFound`.
  func requireRecorded(_ app: String?, _ identifier: String?, _ isOnRecord: () throws(CommandError) -> Bool)
    throws(CommandError)
  {
    guard let text = app ?? identifier, try !apps().contains(where: { $0.app == text || $0.identifier == text }),
      try !isOnRecord()
    else { return }
    throw CommandError(
      .notFound, "There is no app \(text), and no record of one. List the apps: photobroker app list")
  }

  /// All apps that the broker lists to the caller, fetched once.
  func apps() throws(CommandError) -> [Admin.AppInfo] {
    if let knownApps { return knownApps }
    let apps = try callForAll(Admin.ListApps.self, .init()).value.apps
    knownApps = apps
    return apps
  }
}
