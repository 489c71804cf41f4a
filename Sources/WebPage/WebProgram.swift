import BrokerInterface
import CLinux
import Glibc
import Limits

package enum WebProgram {
  private static let help = """
    photobroker-web: serves the page where you decide what apps see, on this machine, to you alone

    usage: photobroker-web [--socket PATH] [--address A] [--port N] [--idle-seconds N] [--lock-seconds N]

      --socket PATH      the broker's admin.sock; default: that of your own broker, else
                         /run/photobroker/admin.sock
      --address A        address in 127.0.0.0/8; default: a new one each time, for which your browser
                         holds no data of other programs
      --port N           default: a free port
      --idle-seconds N   time to run after the last page was closed or locked; default: 600
      --lock-seconds N   time after which an untouched page is locked; default: 900

    photobroker open starts this program and opens the page. The page needs a code that the broker
    gave to you.
    """

  /// Runs the program. Returns its exit status.
  package static func run(_ arguments: [String]) -> Int32 {
    var socket: String?
    var address: LoopbackAddress?
    var port: UInt16 = 0
    var idle = 600
    var sessions = Sessions()
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h":
        print(help)
        return 0
      case "--version":
        print("photobroker-web \(Product.version)")
        return 0
      case "--socket":
        guard let value = rest.popFirst(), !value.isEmpty else { return mistake("--socket needs a path") }
        socket = value
      case "--address":
        guard let value = rest.popFirst().flatMap({ LoopbackAddress($0) }) else {
          return mistake("--address needs an address from 127.0.0.1 to 127.255.255.254")
        }
        address = value
      case "--port":
        guard let value = rest.popFirst().flatMap({ UInt16($0) }) else {
          return mistake("--port needs a number up to 65535")
        }
        port = value
      case "--idle-seconds":
        guard let value = rest.popFirst().flatMap({ Int($0) }), (1...1_000_000).contains(value) else {
          return mistake("--idle-seconds needs a number from 1 to 1000000")
        }
        idle = value
      case "--lock-seconds":
        guard let value = rest.popFirst().flatMap({ Int($0) }), (1...86_400).contains(value) else {
          return mistake("--lock-seconds needs a number from 1 to 86400")
        }
        sessions = Sessions(idleLimit: .seconds(value))
      default: return mistake("unknown argument \(argument); see --help")
      }
    }
    signal(SIGPIPE, SIG_IGN)
    umask(0o077)
    // Keeps other processes of this user from reading the sessions' secrets by ptrace or in a core
    // file.
    _ = clinux_set_dumpable(0)
    do throws(PageError) {
      try PageServer(socket: socket ?? defaultSocket(), sessions: sessions).run(
        address: address, port: port, idleLimit: .seconds(idle))
      return 0
    } catch {
      complain("\(error)")
      return 1
    }
  }

  private static func defaultSocket() -> String {
    if let path = getenv("PHOTOBROKER_ADMIN_SOCKET").map({ String(cString: $0) }), !path.isEmpty { return path }
    if let runtime = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }), runtime.hasPrefix("/") {
      let path = runtime + "/photobroker/admin.sock"
      if access(path, F_OK) == 0 { return path }
    }
    return "/run/photobroker/admin.sock"
  }

  private static func mistake(_ text: String) -> Int32 {
    complain(text)
    return 64
  }

  private static func complain(_ text: String) {
    var line = "photobroker-web: \(text)\n"
    line.withUTF8 { bytes in _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
  }
}
