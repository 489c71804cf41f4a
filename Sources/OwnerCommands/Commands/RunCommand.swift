import Accounts

/// Runs a program without PhotoBroker support, with a live picture folder of its selection.
enum RunCommand {
  private static let program = Operand("PROGRAM", "the program and its arguments, after --", count: .any)
  private static let place = CommandOption(
    "at", "FOLDER", "where the program finds the pictures; default: where the library's own folder is, else ~/Pictures",
    values: .file)
  private static let library = CommandOption(
    "library", "NAME", "the library; default: the only one that you own or accepted",
    values: .listed([.libraries, .offers]))
  private static let name = CommandOption(
    "name", "NAME", "the program's name in your requests; default: the program's own name")
  private static let identifier = CommandOption(
    "identifier", "ID", "tells this program's grant from others'; default: io.photobroker.run. and the name")
  private static let noWait = CommandOption(
    "no-wait", "start the program before anybody has decided; the folder fills when that happens")
  private static let withBus = CommandOption(
    "with-bus", "let the program use the session bus, by which it can start programs outside")
  private static let keepTerminal = CommandOption(
    "keep-terminal", "let the program use this terminal's session, for shells; it can then type into the terminal")
  private static let mount = CommandOption(
    "mount", "FOLDER",
    "serve the pictures on this empty folder until Ctrl-C and run nothing, for containers and services", values: .file)

  private static let allowUser = CommandOption(
    "allow-user", "NAME", "with --mount: another user who may read the folder too, as in a container; a name or number",
    values: .listed([.users]))

  private static let flags = [noWait, withBus, keepTerminal]
  private static let values = [place, library, name, identifier, mount, allowUser]

  static let run = Command(
    "run", "Run a program with a picture folder that holds exactly what you choose for it", [program],
    options: values + flags + [.appSocket],
    discussion: """
      For programs that know nothing of PhotoBroker, for instance: photobroker run -- shotwell. The program asks \
      like any app: you are asked, select photos, change or revoke that at any time, and the folder follows at once. \
      It is read-only. In place of your own libraries' folders the program sees what you chose; other processes, the \
      owner's socket, tokens and the broker's state are hidden from it. That keeps an honest program to its photos; \
      against one that wants to break out, use another user. It needs fuse3 and bubblewrap.
      """
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    let program = arguments.all(program)
    guard program.isEmpty == arguments.has(mount) else {
      throw .usage(
        program.isEmpty
          ? "Name the program: photobroker run -- PROGRAM" : "--mount runs no program. Leave the program out.")
    }
    guard arguments.has(mount) || !arguments.has(allowUser) else {
      throw .usage("--allow-user goes with --mount. A program that is run has your own user.")
    }
    var words = ["--socket", SocketLocation.apps(arguments, invocation.environment)]
    words += ["--admin-socket", SocketLocation.owner(arguments, invocation.environment)]
    for option in flags where arguments.has(option) { words.append(option.typed) }
    for option in values {
      if let value = arguments[option] { words += [option.typed, value] }
    }
    try ProgramFolder.replaceThisProcess(
      by: "photobroker-run", words + (program.isEmpty ? [] : ["--"] + program),
      ifMissing: "It needs libfuse3 when PhotoBroker is built.")
  }
}
