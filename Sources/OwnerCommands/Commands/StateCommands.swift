import Accounts
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
      It holds libraries, apps, decisions, selections, tokens, the ledger and all keys, but no photos. Its reader \
      can do everything that the broker can, so only root and the broker's own user may make one. It has mode 0600; \
      keep it so. It ends with its SHA-256, so that restore notices damage.
      """
  ) { invocation throws(CommandError) in
    let path = invocation.arguments[newFile]
    var file = try NewFile(creating: path)
    let (answer, descriptors) = try invocation.broker().callForFile(Admin.BackUp.self, .init())
    guard let source = descriptors.contents.numbers.first else { return }
    try file.keep(
      copyOf: source, size: answer.value.size, orElse: "The backup was not written. Free disk space and try again.")
    try invocation.report(["file": .string(path), "size": .integer(answer.value.size)]) {
      invocation.print("\(path): \(Words.bytes(answer.value.size))")
      invocation.say("The file holds all keys of the broker. Keep it as safe as the broker's state.")
    }
  }

  static let restore = Command(
    "restore", "Put a backup in the place of a stopped broker's state", [backupFile], options: [state],
    discussion: """
      Rights that were revoked after the backup do not come back: if there may be such rights, every grant is paused \
      until its owner resumes it, and offers, co-owners, administrators, rules that give access, shared albums, \
      originals and deletions by apps are removed. photobroker decisions lists that, and photobroker undo reverses \
      it. If the replaced state can be read, later hidden and never-share marks stay, declined offers stay declined, \
      former co-owners are asked again, apps keep their own tokens, and the trash is as it was. Otherwise apps \
      introduce themselves anew. The first scan finds photos that were moved or renamed since; they stay the same \
      photos for every app if the file or its bytes are the same. The replaced state is kept beside the new one. A \
      damaged backup is refused, and the state stays as it was.
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
    var command = [ProgramFolder.program("photobrokerd")]
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
    try Subprocess.run(
      command + ["--restore", "-"], input: backup, isQuiet: invocation.isJSON, keepsComplaints: invocation.isJSON,
      advice: "Nothing was changed.")
  }
}
