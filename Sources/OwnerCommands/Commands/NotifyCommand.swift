import BrokerInterface
import Desktop
import Glibc
import Monitor
import Varlink

/// Shows waiting prompts and pickers as desktop notifications.
enum NotifyCommand {
  private static let opens = CommandOption("open", "open the page by itself as soon as somebody asks")

  static let notify = Command(
    "notify", "Tell by the desktop's notifications that an app asks, until interrupted", options: [opens],
    discussion: """
      Runs in your desktop session, and shows each waiting request, picker and deletion as a notification, whose \
      button opens the page; an answered one disappears. A second one in the same session ends by itself. The \
      Debian package starts it with each session; systemctl --user disable --now photobroker-notify stops that. With \
      --open the page also opens by itself. That is not the default, because a window that appears while you type may \
      take a key for an answer.
      """
  ) { invocation throws(CommandError) in
    let environment = invocation.environment
    let socket = SocketLocation.owner(invocation.arguments, environment)
    let words = NotifyWords(environment)
    let page = DesktopPage(socket: socket, environment)
    let opensByItself = invocation.arguments.has(opens)
    do throws(DesktopError) {
      let notifier = try Notifier(button: words.decide, of: socket)
      let show: @Sendable (String, [Notice]) -> Void = { source, notices in
        let fresh = notifier.update(source, notices)
        if opensByItself, !fresh.isEmpty { page.open() }
      }
      follow(socket, Admin.ListPrompts.self, .init(language: words.language)) { show("prompts", $0.map(words.notice)) }
      follow(socket, Admin.ListPickers.self, .init()) { show("pickers", $0.map(words.notice)) }
      follow(socket, Admin.ListDeletions.self, .init()) { show("deletions", $0.map(words.notice)) }
      try notifier.run { page.open() }
    } catch {
      // A session may start it both by systemd and by its autostart entries.
      if error.code == .alreadyRuns { return invocation.say(error.message) }
      throw CommandError(.unavailable, error.message)
    }
  }

  /// Seconds between attempts to reach a broker that is gone.
  private static let pause: UInt32 = 2

  private static func follow<Method: PagedMethod>(
    _ socket: String, _ method: Method.Type, _ parameters: Method.Parameters,
    _ show: @escaping @Sendable ([Method.Item]) -> Void
  ) {
    follow(socket) { client in
      try client.followAll(method, parameters) { answer throws(CommandError) in
        show(answer.value[keyPath: Method.pages.items])
        return false
      }
    }
  }

  /// Follows a list on a thread of its own, and reconnects for ever. Swift 6.3.1 cannot optimise this
  /// loop within a generic function.
  private static func follow(_ socket: String, _ list: @escaping @Sendable (BrokerClient) throws -> Void) {
    _ = DetachedThread.start {
      while true {
        // The broker may be restarting, so each error leads to a retry.
        try? list(BrokerClient(path: socket))
        sleep(pause)
      }
    }
  }
}
