import BrokerInterface
import Glibc
import UnixSocket
import Varlink

/// Commands for the broker's whole durable state, for the administrator of the daemon.
enum StateCommands {
  private static let newFile = Operand("FILE", "a new file, made with mode 0600", values: .file)
  private static let backupFile = Operand("FILE", "a backup; - reads it from standard input", values: .file)
  private static let state = CommandOption(
    "state", "DIR",
    "the daemon's state folder (default: /var/lib/photobroker for root, else ~/.local/state/photobroker)",
    values: .folder)

  static let backup = Command(
    "backup", "Copy the broker's whole state into a file, while it goes on", [newFile],
    discussion: """
      Libraries, apps, decisions, selections, tokens, the ledger and all keys; photos are not in it. Whoever reads the file can \
      do what the broker can, so only root and the broker's own user may make one. It is made with mode 0600; keep it so. It ends \
      with its own SHA-256, by which restore tells whether it was damaged since.
      """
  ) { invocation throws(CommandError) in
    let path = invocation.arguments[newFile]
    var file = try NewFile(creating: path)
    let (answer, descriptors) = try invocation.broker().callForFile(Admin.BackUp.self, .init())
    guard let source = descriptors.contents.numbers.first else { return }
    try file.keep(copyOf: source, size: answer.value.size, orElse: "The backup was not kept; make room and ask again.")
    try invocation.report(["file": .string(path), "size": .integer(answer.value.size)]) {
      invocation.print("\(path): \(Words.bytes(answer.value.size))")
      invocation.say("It holds every key of the broker; keep it as safe as the state itself.")
    }
  }

  static let restore = Command(
    "restore", "Put a backup in the place of a stopped broker's state", [backupFile], options: [state],
    discussion: """
      What was taken away after the backup was made does not come back with it: the broker then pauses every grant until its \
      owner resumes it, and withdraws offers, co-owners, administrators, rules that give, shared albums, originals and \
      deletions by apps; decisions lists that, and undo takes it back. Where the state that is replaced can be read, photos that were hidden or marked as \
      never shared since stay so, also those whose files are away, what was declined since stays declined, who left as a co-owner is asked \
      before they are one again, and apps keep their own tokens; otherwise they introduce \
      themselves anew. What went into the trash since is in it, and what came back from it is in its library again. Photos that were \
      moved or renamed since are found by the first look, and are the same photos to every app where their file or their bytes are the \
      same. What was there before is kept beside it. A backup that was damaged is refused, and the state stays as it was.
      """
  ) { invocation throws(CommandError) in
    let path = invocation.arguments[backupFile]
    let file = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw .file(path, errno) }
    defer { if path != "-" { close(file) } }
    try invocation.confirm("Replace the broker's state by this backup?")
    try putBack(file, invocation)
    try invocation.report(["restored": .bool(true)]) {}
  }

  /// Restores by the daemon's own program, as the user who owns the state.
  private static func putBack(_ backup: Int32, _ invocation: Invocation) throws(CommandError) {
    var command = [daemonProgram()]
    var folder = invocation.arguments[state]
    if folder == nil, geteuid() == 0 { folder = "/var/lib/photobroker" }
    if let folder {
      command += ["--state", folder]
      var facts = stat()
      guard stat(folder, &facts) == 0 else { throw .file(folder, errno) }
      // Root switches to that user, so that new files belong to it.
      if geteuid() == 0, facts.st_uid != 0 {
        command =
          ["setpriv", "--reuid=\(facts.st_uid)", "--regid=\(facts.st_gid)", "--clear-groups", "--no-new-privs"]
          + command
      }
    }
    try ChildProcess.run(
      command + ["--restore", "-"], input: backup, isQuiet: invocation.isJSON, keepsComplaints: invocation.isJSON,
      advice: "Nothing was changed.")
  }

  static func daemonProgram() -> String { program("photobrokerd") }

  /// The path of a program in this program's folder, else its name, for a search in PATH.
  static func program(_ name: String) -> String {
    let beside = ProgramFolder.path() + "/" + name
    return access(beside, X_OK) == 0 ? beside : name
  }
}
