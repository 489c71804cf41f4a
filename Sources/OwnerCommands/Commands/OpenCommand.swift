import Accounts
import BrokerInterface
import Glibc
import Varlink

enum OpenCommand {
  private static let printed = CommandOption("print", "print the link, even where a browser could be started")

  static let open = Command(
    "open", "Open the page where you decide, in a browser", options: [printed],
    discussion: """
      The link works once, within a minute, on this machine. Each start of the page's server takes another address \
      of 127.0.0.0/8, so that nothing another program left in your browser answers in its place. On a desktop a \
      browser opens. It gets the link in a file that only you can read, because every user can read command lines. \
      Without a desktop the link is printed, with the ssh command that brings it to the machine you sit at.
      """
  ) { invocation throws(CommandError) in
    let socket = SocketLocation.owner(invocation.arguments, invocation.environment)
    let page = try page(invocation, socket: socket)
    let host = "\(page.address):\(page.port)"
    let link = "http://\(host)/#\(page.code)"
    if !invocation.isJSON, !invocation.arguments.has(printed),
      let folder = DesktopPage.runtimeFolder(invocation.environment)
    {
      try Subprocess.run(
        ["xdg-open", try PageLink.write(link, into: folder)], isQuiet: true,
        advice: "Print the link: photobroker open --print")
      return invocation.say("The page opens in your browser.")
    }
    let tunnel = "ssh -N -L \(host):\(host) \(PageLink.here())"
    try invocation.report(["link": .string(link), "tunnel": .string(tunnel)]) {
      invocation.print(link)
      invocation.say("It works once, within a minute. To open it on another machine, run this there first:")
      invocation.say(tunnel)
      invocation.say(
        "On a Mac, write 127.0.0.1 as the first address after -L, and in the link.")
    }
  }

  /// A login code for the page. Starts the page's server unless one runs.
  private static func page(_ invocation: Invocation, socket: String) throws(CommandError) -> Admin.OpenPage.Reply {
    do throws(CommandError) { return try invocation.call(Admin.OpenPage.self, .init()).value } catch {
      guard error.code == .notFound else { throw error }
    }
    try PageLink.startServer(socket: socket)
    for _ in 0..<100 {
      usleep(50_000)
      do throws(CommandError) { return try invocation.call(Admin.OpenPage.self, .init()).value } catch {
        guard error.code == .notFound else { throw error }
      }
    }
    throw CommandError(.failed, "photobroker-web was started and did not answer; run it by hand to see why.")
  }
}
