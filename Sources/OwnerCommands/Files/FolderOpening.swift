import Accounts
import Glibc
import Limits

/// The steps that let the broker's user read a folder with its present and future contents. They
/// take no right away that this user has by own or group entries: another library may depend on it.
struct FolderOpening {
  /// The folder, absolute and without symbolic links.
  let folder: String
  let user: UInt32
  /// Whether the folder itself needs an entry.
  private(set) var opensFolder = false
  /// Whether the folder is closed to the broker and belongs to another user than the caller.
  private(set) var isForeign = false
  /// The caller's folders above it that the broker cannot search. They get the search permission
  /// only.
  private(set) var parents: [String] = []
  /// Folders of other users above it that the broker cannot search.
  private(set) var foreignParents: [String] = []
  /// The broker's future rights on the folders above.
  private var rights: [String: UInt16] = [:]
  /// The folders among them that have access control lists already.
  private var listedParents: [String] = []
  private var tree = FolderTree()
  private let owner: UInt32
  private let caller: UInt32
  private let groups: [UInt32]
  /// The folder, or one above it, on a disk without access control lists; nil if there is none.
  private var listless: String?
  /// Whether one to open is on such a disk.
  private(set) var isBlocked = false

  /// Examines the folder and the folders above it.
  ///
  /// - Parameter groups: the broker's groups.
  /// - Throws: `notFound`, `notPermitted`; `badData` unless it is a folder.
  init(_ folder: String, for user: UInt32, in groups: [UInt32] = [], caller: UInt32) throws(CommandError) {
    (self.folder, self.user, self.caller, self.groups) = (folder, user, caller, groups)
    let list = try AccessList(of: folder)
    owner = list.owner
    guard list.isFolder else { throw CommandError(.badData, "\(folder) is not a folder.") }
    if user == caller || user == 0 { return }
    let isClosed = !list.lets(user, in: groups, AccessList.read | AccessList.pass)
    (opensFolder, isForeign) = (isClosed && list.owner == caller, isClosed && list.owner != caller)
    if opensFolder {
      tree = try FolderTree(of: folder, for: user, in: groups, caller: caller)
      try tree.requireNoMask()
    }
    if !list.isSupported { (listless, isBlocked) = (folder, opensFolder) }
    var parent = folder
    while let slash = parent.lastIndex(of: "/"), parent != "/" {
      parent = slash == parent.startIndex ? "/" : String(parent[..<slash])
      let list = try AccessList(of: parent)
      guard !list.lets(user, in: groups, AccessList.pass) else { continue }
      if list.owner == caller, list.masksOthers(than: user) { throw .maskLifted(parent) }
      rights[parent] = list.rights(of: user, in: groups) | AccessList.pass
      if list.owner == caller { parents.append(parent) } else { foreignParents.append(parent) }
      if list.owner == caller, !list.isSupported { (listless, isBlocked) = (listless ?? parent, true) }
      if list.hasEntries { listedParents.append(parent) }
    }
  }

  /// The directory plugin's default folder for assets that apps add.
  private var addFolder: String { folder + "/PhotoBroker" }

  var isNeeded: Bool { opensFolder || !parents.isEmpty }

  /// The commands to run, also shown to the person.
  var commands: [[String]] {
    var commands = parents.reversed().map { ["setfacl", "-m", passing($0), "--", $0] }
    if opensFolder {
      let entries = "u:\(user):rX,d:u:\(user):rX"
      if !tree.isCallersOwn {
        // Only the owner of a file may change its list; apps' files belong to the broker's user.
        commands.append(others(["-type", "d"], ["setfacl", "-m", entries]))
        commands.append(others(["-type", "f"], ["setfacl", "-m", "u:\(user):rX"]))
      } else {
        // -P: a symbolic link inside must not open its target outside.
        commands.append(["setfacl", "-R", "-P", "-m", entries, "--", folder])
      }
      let writable = tree.writable.filter { $0 != addFolder }
      if !writable.isEmpty { commands.append(["setfacl", "-m", "u:\(user):rwX,d:u:\(user):rwX", "--"] + writable) }
      // The add folder is the only one that the broker may write to. Its default entry lets the
      // folder's owner read and remove added files.
      if !tree.usersOwn.contains(addFolder) {
        commands.append(["mkdir", "-p", "--", addFolder])
        commands.append(["setfacl", "-m", "u:\(user):rwX,d:u:\(user):rwX,d:u:\(owner):rwX", "--", addFolder])
      }
    }
    return commands
  }

  /// The command that lets the broker write to a folder.
  static func opening(_ folder: String, socket: String? = nil) -> String {
    ShellWords.line(["sudo", "photobroker"] + (socket.map { ["--socket", $0] } ?? []) + ["library", "open", folder])
  }

  /// The commands that let the broker's user pass through the folders above, with the folders.
  var parentCommands: [(folder: String, command: [String])] {
    (parents + foreignParents).map { ($0, ["setfacl", "-m", passing($0), "--", $0]) }
  }

  /// The entry for a folder above.
  private func passing(_ parent: String) -> String { "u:\(user):\(AccessList.text(rights[parent] ?? AccessList.pass))" }

  /// A command on everything in the folder whose rights the caller may change.
  private func others(_ kind: [String], _ command: [String]) -> [String] {
    let owned = caller == 0 ? ["!", "-user", "\(user)"] : ["-user", "\(caller)"]
    // In the folder of each match, so that nobody who may write there leads the command elsewhere.
    let run = command.first == "setfacl" ? "-execdir" : "-exec"
    return ["find", folder] + kind + owned + [run] + command + ["--", "{}", "+"]
  }

  /// The text shown before the confirmation.
  var explanation: String {
    var lines = [
      "The broker runs as user \(user) and cannot read \(folder). These commands let that user in, and nobody else:"
    ]
    lines += commands.map(ShellWords.line)
    if opensFolder {
      lines.append(
        "The broker can write to its subfolder PhotoBroker alone, for new photos of apps, unless its service is kept "
          + "from that too.")
      lines.append("To let apps add and delete photos: \(Self.opening(folder))")
      lines.append("The broker can read later files too, except those that a program makes with mode 0600.")
    }
    lines.append("To undo it: \(takingBack)")
    if !parents.isEmpty {
      lines.append(
        "To close the folders above too, once the broker serves no other folder below them: \(closingParents)")
    }
    return lines.joined(separator: "\n")
  }

  /// The commands that close the folder again. If the tree had no lists before, it has none
  /// afterwards.
  var takingBack: String {
    let commands =
      tree.hasLists
      ? [
        others(["-type", "d"], ["setfacl", "-x", "u:\(user),d:u:\(user)"]),
        others(["-type", "f"], ["setfacl", "-x", "u:\(user)"]),
      ]
      : [others(["!", "-type", "l"], ["setfacl", "-b"])]
    return commands.map(ShellWords.line).joined(separator: "; ")
  }

  private var closingParents: String {
    let bare = parents.filter { !listedParents.contains($0) }
    let listed = parents.filter(listedParents.contains)
    let commands =
      (bare.isEmpty ? [] : [["setfacl", "-b", "--"] + bare])
      + (listed.isEmpty ? [] : [["setfacl", "-x", "u:\(user)", "--"] + listed])
    return commands.map(ShellWords.line).joined(separator: "; ")
  }

  /// Advice about steps that only another user can take; nil if none are needed.
  var advice: String? {
    guard let parent = foreignParents.last else {
      guard isForeign else { return nil }
      return
        "The broker, user \(user), may not read \(folder), which belongs to somebody else. If adding the library "
        + "fails, its owner can let the broker in: "
        + ShellWords.line(["setfacl", "-R", "-P", "-m", "u:\(user):rX,d:u:\(user):rX", folder])
    }
    return
      "The broker, user \(user), may not pass through \(parent), which belongs to somebody else. If adding the library "
      + "fails, ask that folder's owner, or root, for: " + ShellWords.line(["setfacl", "-m", passing(parent), parent])
  }

  /// Files and folders that the broker still may not read, in words; nil if there are none.
  var remainder: String? {
    tree.closed.map {
      """
      \(Amount.count($0.count, "file or folder", "files and folders")) in it, such as \($0.first), belong to somebody \
      else or cannot be read. They are left out, and photobroker library show names them.
      """
    }
  }

  /// The ways that work on a disk without access control lists; nil on others.
  var ways: String? {
    guard let listless else { return nil }
    let group = groups.first.map { "\($0)" } ?? "GROUP"
    return
      """
      The disk of \(listless) has no access control lists that could let the broker, user \(user), in. These ways \
      work. By group, if the disk keeps owners: chgrp -R \(group) \(ShellWords.line([listless])) and chmod -R g+rX, as \
      a member of that group or as root. By mount option, for FAT, exFAT and NTFS, as root: mount it with \
      uid=\(owner),gid=\(group),umask=0027; a FUSE file system needs allow_other. Or by a broker of your own, which \
      runs as your user and needs no such right: systemctl --user enable --now photobroker.socket \
      photobroker-admin.socket
      """
  }

  /// Runs all commands, or restores the former rights after a failure. A file or folder in the tree
  /// that cannot be opened stops nothing.
  ///
  /// - Returns: the former rights.
  /// - Throws: `failed` with setfacl's message, `unavailable` without setfacl.
  func apply() throws(CommandError) -> FormerRights {
    let listing = opensFolder ? others(["!", "-type", "l"], ["getfacl", "-n", "-p"]) : nil
    let former = try FormerRights.keep(of: parents, listing: listing, making: opensFolder ? addFolder : nil)
    do throws(CommandError) {
      for command in commands {
        do throws(CommandError) { try Subprocess.run(command, keepsComplaints: true) } catch {
          guard command.first == "find", error.code == .failed else { throw error }
        }
      }
      guard try AccessList(of: folder).lets(user, in: groups, AccessList.read | AccessList.pass) || !opensFolder else {
        throw CommandError(.failed, "The folder could not be opened for the broker, user \(user).")
      }
    } catch {
      try former.restore()
      throw error
    }
    return former
  }
}
