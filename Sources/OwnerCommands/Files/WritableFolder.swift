import Accounts
import Glibc
import Limits

/// The steps that let the broker's user add files to a folder and move its files to the trash. Root
/// runs them; each runs as the owner of the files that it changes, so that no symbolic link in a
/// user's folder leads root elsewhere.
struct WritableFolder {
  /// The folder, absolute and without symbolic links.
  let folder: String
  let user: UInt32
  /// The commands to run, also shown to the person. Empty for a broker that owns the folder.
  let commands: [[String]]
  private let groups: [UInt32]
  private let owner: UInt32
  private let opening: FolderOpening

  /// - Parameter groups: the broker's groups.
  /// - Throws: `notFound`; `badData` unless it is a folder.
  init(_ folder: String, for user: UInt32, in groups: [UInt32]) throws(CommandError) {
    (self.folder, self.user, self.groups) = (folder, user, groups)
    // Read once: a user may put another folder in its place.
    let list = try AccessList(of: folder)
    let owner = list.owner
    self.owner = owner
    opening = try FolderOpening(folder, for: user, in: groups, caller: owner)
    guard user != owner, user != 0 else {
      commands = []
      return
    }
    try FolderTree(of: folder, for: user, in: groups, caller: owner).requireNoMask()
    let prefix = Self.prefix(list)
    var commands = opening.parentCommands.map { prefix + $0.command }
    let entries = "u:\(user):rwX,d:u:\(user):rwX,d:u:\(owner):rwX"
    commands += [
      prefix + ["mkdir", "-p", "--", folder + "/PhotoBroker"],
      prefix + Self.find(in: folder, of: owner, "d") + ["setfacl", "-m", entries, "--", "{}", "+"],
      prefix + Self.find(in: folder, of: owner, "f") + ["setfacl", "-m", "u:\(user):rX", "--", "{}", "+"],
    ]
    self.commands = commands
  }

  private static func find(in folder: String, of owner: UInt32, _ type: String) -> [String] {
    ["find", folder, "-xdev", "-type", type, "-user", "\(owner)", "-execdir"]
  }

  /// Runs a command as a file's owner, with the owner's groups: without the file's group, a change of
  /// its access list would clear its set-group-ID bit.
  private static func prefix(_ list: AccessList) -> [String] {
    let account = getpwuid(list.owner)
    let group = account.map { $0.pointee.pw_gid } ?? list.group
    return ["setpriv", "--reuid=\(list.owner)", "--regid=\(group)"]
      + [account == nil ? "--clear-groups" : "--init-groups"]
  }

  /// - Throws: `badData` for a folder of the system, and for a whole home.
  func requirePhotos() throws(CommandError) {
    guard owner == 0 || getpwuid(owner).map({ String(cString: $0.pointee.pw_dir) }) == folder else { return }
    throw CommandError(
      .badData,
      "\(folder) \(owner == 0 ? "belongs to root" : "is a home, with keys and settings in it"). Name a person's "
        + "folder of photos. Nothing was changed.")
  }

  /// The text shown before the confirmation.
  ///
  /// - Parameter isServed: whether the system service runs, and gets a line in its unit.
  func explanation(isServed: Bool) -> String {
    var lines = [
      "Apps may then add photos to \(folder), and move photos in it to its trash, as far as people allow it."
    ]
    if !commands.isEmpty {
      lines.append(
        "These commands let the broker, user \(user), write to its folders and to files that come later, and nobody "
          + "else:")
      lines += commands.map(ShellWords.line)
      lines.append(
        "To undo all of it, also reading: "
          + ShellWords.line(["setfacl", "-R", "-x", "u:\(user),d:u:\(user)", "--", folder])
          + (isServed ? ", and remove the folder's line from \(ServiceFolders.file)" : ""))
    }
    if isServed {
      lines.append("\(ServiceFolders.file) gets the folder, and \(ServiceFolders.unit) starts again.")
    }
    return lines.joined(separator: "\n")
  }

  /// Runs all commands. A file in the tree that cannot be changed stops nothing.
  ///
  /// - Throws: `failed`, also if the broker's user may still not write; `unavailable`.
  func apply() throws(CommandError) {
    for command in commands {
      do throws(CommandError) { try Subprocess.run(command, keepsComplaints: true) } catch {
        guard command.contains("find"), error.code == .failed else { throw error }
      }
    }
    let rights = AccessList.read | AccessList.write | AccessList.pass
    guard try AccessList(of: folder).lets(user, in: groups, rights) || commands.isEmpty else {
      throw CommandError(
        .failed,
        "The folder could not be opened for the broker, user \(user). "
          + (opening.ways ?? "Check its permissions with getfacl."))
    }
  }
}
