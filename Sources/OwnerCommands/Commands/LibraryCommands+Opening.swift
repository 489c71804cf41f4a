import BrokerInterface
import Glibc

/// Folders that the broker may write to (R158).
extension LibraryCommands {
  private static let writable = Operand("PATH", "the folder of photos", values: .folder)

  static let open = Command(
    "open", "As root: let apps add photos to a folder, and delete photos in it", [writable],
    discussion: """
      It sets an access control list on the folder, so that the broker's user can write to it, and adds the folder to \
      the file folders.conf beside the unit of the system service, which then starts again. The broker changes \
      no file: it adds new ones in the subfolder PhotoBroker, and moves deleted ones to a trash in the folder. People \
      still decide which apps may do that.
      """
  ) { invocation throws(CommandError) in
    let path = try AbsolutePath.resolve(invocation.arguments[writable])
    guard geteuid() == 0 else {
      throw CommandError(.notPermitted, "Only root can let the service write. Run: \(FolderOpening.opening(path))")
    }
    let status = try invocation.call(Admin.GetStatus.self, .init()).value
    guard let broker = UInt32(exactly: status.uid) else {
      throw CommandError(.badReply, "The broker reports no user. Install the same version of both.")
    }
    let folder = try WritableFolder(
      path, for: broker, in: (status.groups ?? []).compactMap { UInt32(exactly: $0) })
    // Another broker's socket may have been named.
    let isServed =
      SocketLocation.owner(invocation.arguments, invocation.environment) == SocketLocation.system
      && ServiceFolders.isServed()
    try folder.requirePhotos()
    if isServed { try ServiceFolders.check(path) }
    let explanation = folder.explanation(isServed: isServed)
    if !invocation.arguments.has(.yes) {
      try invocation.confirm(explanation + "\nLet the broker write there?")
    } else {
      for line in explanation.split(separator: "\n") { invocation.say(String(line)) }
    }
    try folder.apply()
    guard isServed else {
      return invocation.say(
        "The broker is not run by \(ServiceFolders.unit), so only the access list was set. It takes effect after: "
          + "photobroker library rescan NAME")
    }
    try ServiceFolders.add(path)
    invocation.say("Apps can add and delete photos in \(path).")
  }

  /// The changes by apps that a library's storage refuses, and the step that allows them; nil for
  /// none.
  static func refusal(of library: Admin.LibraryInfo) -> String? {
    let refused = AccessWords.refused(library.storageRefuses)
    guard !refused.isEmpty else { return nil }
    return "takes \(refused) by apps" + (step(for: library).map { ". To let them: \($0)" } ?? "")
  }

  /// The command that lets apps add and delete; nil for storages without a folder.
  private static func step(for library: Admin.LibraryInfo, socket: String? = nil) -> String? {
    guard library.backend == "directory", let path = library.options?["path"] else { return nil }
    return FolderOpening.opening(path, socket: socket)
  }

  /// Names the step that is left after a library was added. A broker of one's own needs other rights.
  static func tellOfOpening(_ library: Admin.LibraryInfo, _ invocation: Invocation) throws(CommandError) {
    let refused = AccessWords.refused(library.storageRefuses)
    guard !refused.isEmpty, let step = step(for: library, socket: invocation.arguments[.socket]) else { return }
    let status = try invocation.call(Admin.GetStatus.self, .init()).value
    guard status.uid != status.caller else { return }
    invocation.say("The broker cannot write to the folder, so it takes \(refused) by apps. To let them: \(step)")
  }
}
