import Accounts
import Glibc
import Varlink

/// Runs a throw-away broker for tests of apps.
enum SandboxCommand {
  private static let photos = CommandOption(
    "photos", "DIR", "the folder whose copies the library is made of", values: .folder)
  private static let script = CommandOption(
    "script", "FILE", "how the person answers, as JSON; without it every question waits", values: .file)
  private static let program = Operand("COMMAND", "after --: a program to run, whose status is this one's", count: .any)

  static let sandbox = Command(
    "sandbox", "Run a throw-away broker with a scripted person and a clock that is set by hand, to test apps with",
    [program],
    options: [photos, script],
    discussion: """
      Prints the sockets as one line of JSON and runs until its standard input ends, or a signal comes; or runs \
      COMMAND with PHOTOBROKER_SOCKET and PHOTOBROKER_ADMIN_SOCKET set, and with XDG_STATE_HOME in a folder of the \
      sandbox's, so that it is a new app here and keeps the token that it has elsewhere. Then everything of it is \
      removed. The photos stay as they are: the library is made of copies. The admin socket serves \
      io.photobroker.Sandbox too, to set the clock and the seed of chance. \(SandboxScript.help)
      """
  ) { invocation throws(CommandError) in
    guard let folder = invocation.arguments[photos] else {
      throw .usage("--photos DIR is missing: the folder to make the library of.")
    }
    let path = try AbsolutePath.resolve(folder)
    var plan = SandboxScript()
    if let file = invocation.arguments[script] {
      plan = try SandboxScript(
        InputFile.read(file, limitBytes: SandboxScript.limitBytes, console: invocation.console),
        name: InputFile.name(file))
    }
    let signals = SandboxSession.holdSignals()
    let session = try SandboxSession(plan, photos: path, program: ProgramFolder.program("photobrokerd"))
    let command = invocation.arguments.all(program)
    var child: SandboxChild?
    if command.isEmpty {
      let sockets: JSONObject = [
        "socket": .string(session.socket), "adminSocket": .string(session.adminSocket),
        "library": .string(plan.library),
        "photos": .string(session.photos), "state": .string(session.appState),
      ]
      invocation.console.print(JSONText.printable(sockets))
    } else {
      do throws(CommandError) {
        child = try SandboxChild(
          command,
          environment: [
            "PHOTOBROKER_SOCKET": session.socket, "PHOTOBROKER_ADMIN_SOCKET": session.adminSocket,
            "XDG_STATE_HOME": session.appState,
          ])
      } catch {
        session.end()
        throw error
      }
    }
    if let status = try session.run(child, signals: signals, complain: { invocation.warn($0) }), status != 0 {
      throw CommandError(exitStatus: status)
    }
  }
}
