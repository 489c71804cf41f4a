import Glibc

/// What must be done so that the broker's user can read a folder, and everything in it now and
/// later. Nothing that this user may do by now, by an entry of its own or of its groups, is taken
/// away: another library may live by it.
struct FolderOpening {
  /// The folder, absolute and without symbolic links.
  let folder: String
  /// The broker's user.
  let user: UInt32
  /// Whether the folder itself must be opened.
  private(set) var opensFolder = false
  /// Whether the folder is closed and belongs to somebody else.
  private(set) var isForeign = false
  /// Folders above it that are closed and belong to the caller: they are opened for passing through only.
  private(set) var parents: [String] = []
  /// Folders above it that are closed and belong to somebody else.
  private(set) var foreignParents: [String] = []
  /// What the broker may do with those above it from then on.
  private var rights: [String: UInt16] = [:]
  /// Those of them that have access control lists by now.
  private var listedParents: [String] = []
  /// What is in the folder.
  private var tree = FolderTree()
  private let owner: UInt32

  /// Looks at the folder and at those above it.
  ///
  /// - Parameter groups: The broker's.
  /// - Throws: `notFound`, `notPermitted`; `badData` where it is no folder.
  init(_ folder: String, for user: UInt32, in groups: [UInt32] = [], caller: UInt32) throws(CommandError) {
    (self.folder, self.user) = (folder, user)
    let list = try AccessList(of: folder)
    owner = list.owner
    guard list.isFolder else { throw CommandError(.badData, "\(folder) is no folder.") }
    if user == caller || user == 0 { return }
    let isClosed = !list.lets(user, in: groups, AccessList.read | AccessList.pass)
    (opensFolder, isForeign) = (isClosed && list.owner == caller, isClosed && list.owner != caller)
    if opensFolder { tree = try FolderTree(of: folder, for: user, in: groups) }
    var parent = folder
    while let slash = parent.lastIndex(of: "/"), parent != "/" {
      parent = slash == parent.startIndex ? "/" : String(parent[..<slash])
      let list = try AccessList(of: parent)
      guard !list.lets(user, in: groups, AccessList.pass) else { continue }
      rights[parent] = list.rights(of: user, in: groups) | AccessList.pass
      if list.owner == caller { parents.append(parent) } else { foreignParents.append(parent) }
      if list.hasEntries { listedParents.append(parent) }
    }
  }

  /// Where the directory plugin puts files that apps add, unless its options say otherwise.
  private var addFolder: String { folder + "/PhotoBroker" }

  /// Whether there is anything to do.
  var isNeeded: Bool { opensFolder || !parents.isEmpty }

  /// The commands that do it, as they could be typed.
  var commands: [[String]] {
    var commands = parents.reversed().map { ["setfacl", "-m", passing($0), "--", $0] }
    if opensFolder {
      let entries = "u:\(user):rX,d:u:\(user):rX"
      if tree.hasUsersOwn {
        // What apps added before is the broker's own, and nobody else can change its list.
        commands.append(others(["-type", "d"], ["setfacl", "-m", entries]))
        commands.append(others(["-type", "f"], ["setfacl", "-m", "u:\(user):rX"]))
      } else {
        // -P: a symbolic link inside must not open what is outside.
        commands.append(["setfacl", "-R", "-P", "-m", entries, "--", folder])
      }
      let writable = tree.writable.filter { $0 != addFolder }
      if !writable.isEmpty { commands.append(["setfacl", "-m", "u:\(user):rwX,d:u:\(user):rwX", "--"] + writable) }
      // Where added files go is the one folder that the broker may write to; what it makes there is
      // its owner's to read and remove.
      if !tree.usersOwn.contains(addFolder) {
        commands.append(["mkdir", "-p", "--", addFolder])
        commands.append(["setfacl", "-m", "u:\(user):rwX,d:u:\(user):rwX,d:u:\(owner):rwX", "--", addFolder])
      }
    }
    return commands
  }

  /// An entry that lets pass.
  private func passing(_ parent: String) -> String { "u:\(user):\(AccessList.text(rights[parent] ?? AccessList.pass))" }

  /// A command with all in the folder that is not the broker's.
  private func others(_ kind: [String], _ command: [String]) -> [String] {
    ["find", folder] + kind + ["!", "-user", "\(user)", "-exec"] + command + ["--", "{}", "+"]
  }

  /// What is explained before it is done.
  var explanation: String {
    var lines = [
      "The broker runs as user \(user) and cannot read \(folder). An access control list lets that one user in, and nobody else:"
    ]
    lines += commands.map(ShellWords.line)
    if opensFolder {
      lines.append("What apps add goes into PhotoBroker in that folder; nothing else in it can be written to.")
      lines.append(
        "A broker that is a service of the system adds nothing until its unit allows that too: ReadWritePaths=\(addFolder), by systemctl edit."
      )
      lines.append("Files that come later are let through as well, except those that a program makes with mode 0600.")
    }
    lines.append("\(takingBack) takes it back.")
    if !parents.isEmpty {
      lines.append(
        "\(closingParents) closes the folders above too; not while the broker serves another folder below them.")
    }
    return lines.joined(separator: "\n")
  }

  /// What can be typed to close the folder again. Where no lists were before none are left.
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

  /// What somebody else must do; nil where nothing is in the way.
  var advice: String? {
    guard let parent = foreignParents.last else {
      guard isForeign else { return nil }
      return
        "The broker, user \(user), may not read \(folder), which belongs to somebody else. If adding the library fails, its owner "
        + "can let the broker in: "
        + ShellWords.line(["setfacl", "-R", "-P", "-m", "u:\(user):rX,d:u:\(user):rX", folder])
    }
    return
      "The broker, user \(user), may not pass through \(parent), which belongs to somebody else. If adding the library fails, "
      + "ask that folder's owner, or root, for: " + ShellWords.line(["setfacl", "-m", passing(parent), parent])
  }

  /// Does it, or nothing of it.
  ///
  /// - Returns: What was before.
  /// - Throws: `failed` with what setfacl said, `unavailable` where there is no setfacl.
  func apply() throws(CommandError) -> FormerRights {
    let listing = opensFolder ? others(["!", "-type", "l"], ["getfacl", "-n", "-p"]) : nil
    let former = try FormerRights.keep(of: parents, listing: listing, making: opensFolder ? addFolder : nil)
    do throws(CommandError) {
      for command in commands { try ChildProcess.run(command) }
    } catch {
      try former.restore()
      throw error
    }
    return former
  }
}
