import BrokerInterface
import Limits
import Macaroons

/// Shows a token's access over the apps' socket.
enum DescribeCommands {
  static let group = Command("describe", "Ask the broker, as an app does", commands: [access])

  static let access = Command(
    "access", "Show what a token's app may do now", [.tokenFile], options: [.inLibrary, .level, .appSocket],
    discussion:
      "Run this as the app's user, because a token works for that user only. Nobody is asked and nothing is changed. "
      + "An app's own token names no library: if its user has several, name one."
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    let token = try TokenFile.read(arguments[.tokenFile], console: invocation.console)
    let broker = try BrokerClient(path: SocketLocation.apps(arguments, invocation.environment))
    let attached = try broker.call(Library.Attach.self, .init(token: token.text)).value
    let level = arguments[.level] ?? attached.level ?? "readWrite"
    try invocation.report(
      broker.call(Library.DescribeAccess.self, .init(level: level, library: arguments[.inLibrary] ?? attached.library))
    ) { access in
      let pictures = access.pixels.map { "; pictures up to \($0) pixels" } ?? ""
      let withheld = (access.withheld ?? []).joined(separator: ", ") + pictures
      let rows: [(String, String?)] = [
        ("library", access.library), ("level", AccessWords.levels.shown(access.level)),
        ("status", AccessWords.status(access.status, at: access.level) + (access.paused ? ", paused" : "")),
        ("visible", Amount.count(access.visible, "asset")), ("expires", access.expires.map(Words.moment) ?? "never"),
        ("token ends", access.tokenExpires.map(Words.moment) ?? "with the grant"), ("albums", access.albumPolicy),
        ("verbs", access.verbs.isEmpty ? "none" : access.verbs.joined(separator: ", ")),
        ("withheld", withheld.isEmpty ? "nothing" : withheld),
        ("limits", "\(access.limits.count); list them: photobroker limits"),
      ]
      if attached.library == nil {
        invocation.say(
          "This token only identifies the app. Its access token says what it may do.")
      }
      invocation.print(rows)
    }
  }
}
