import Glibc

/// What must be done so that the broker's user can read a folder, and everything in it now and later.
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

  /// Looks at the folder and at those above it.
  ///
  /// - Throws: `notFound`, `notPermitted`; `badData` where it is no folder.
  init(_ folder: String, for user: UInt32, caller: UInt32) throws(CommandError) {
    (self.folder, self.user) = (folder, user)
    let list = try AccessList(of: folder)
    guard list.isFolder else { throw CommandError(.badData, "\(folder) is no folder.") }
    if user == caller || user == 0 { return }
    let isClosed = !list.lets(user, AccessList.read | AccessList.pass)
    (opensFolder, isForeign) = (isClosed && list.owner == caller, isClosed && list.owner != caller)
    var parent = folder
    while let slash = parent.lastIndex(of: "/"), parent != "/" {
      parent = slash == parent.startIndex ? "/" : String(parent[..<slash])
      let list = try AccessList(of: parent)
      guard !list.lets(user, AccessList.pass) else { continue }
      if list.owner == caller { parents.append(parent) } else { foreignParents.append(parent) }
    }
  }

  /// Where the directory plugin puts files that apps add, unless its options say otherwise.
  private var addFolder: String { folder + "/PhotoBroker" }

  /// Whether there is anything to do.
  var isNeeded: Bool { opensFolder || !parents.isEmpty }

  /// The commands that do it, as they could be typed.
  var commands: [[String]] {
    var commands = parents.reversed().map { ["setfacl", "-m", "u:\(user):x", "--", $0] }
    if opensFolder {
      // -P: a symbolic link inside must not open what is outside.
      commands.append(["setfacl", "-R", "-P", "-m", "u:\(user):rX,d:u:\(user):rX", "--", folder])
      // Where added files go is the one folder that the broker may write to.
      commands.append(["mkdir", "-p", "--", addFolder])
      commands.append(["setfacl", "-m", "u:\(user):rwX,d:u:\(user):rwX", "--", addFolder])
    }
    return commands
  }

  /// What is explained before it is done.
  var explanation: String {
    var lines = [
      "The broker runs as user \(user) and cannot read \(folder). An access control list lets that one user in, and nobody else:"
    ]
    lines += commands.map(ShellWords.line)
    if opensFolder {
      lines.append("What apps add goes into PhotoBroker in that folder; nothing else in it can be written to.")
      lines.append("Files that come later are let through as well, except those that a program makes with mode 0600.")
    }
    lines.append("\(takingBack) takes it back.")
    if !parents.isEmpty {
      let closing = ShellWords.line(["setfacl", "-x", "u:\(user)", "--"] + parents)
      lines.append("\(closing) closes the folders above too; not while the broker serves another folder below them.")
    }
    return lines.joined(separator: "\n")
  }

  /// What can be typed to close the folder again.
  var takingBack: String { ShellWords.line(["setfacl", "-R", "-x", "u:\(user),d:u:\(user)", folder]) }

  /// What somebody else must do; nil where nothing is in the way.
  var advice: String? {
    guard let parent = foreignParents.last else {
      guard isForeign else { return nil }
      return "The broker, user \(user), may not read \(folder), which belongs to somebody else. If adding the library fails, its owner "
        + "can let the broker in: " + ShellWords.line(["setfacl", "-R", "-P", "-m", "u:\(user):rX,d:u:\(user):rX", folder])
    }
    return "The broker, user \(user), may not pass through \(parent), which belongs to somebody else. If adding the library fails, "
      + "ask that folder's owner, or root, for: " + ShellWords.line(["setfacl", "-m", "u:\(user):x", parent])
  }

  /// Does it, or nothing of it.
  ///
  /// - Returns: What was before.
  /// - Throws: `failed` with what setfacl said, `unavailable` where there is no setfacl.
  func apply() throws(CommandError) -> FormerRights {
    let former = try FormerRights.keep(of: parents, tree: opensFolder ? folder : nil, making: opensFolder ? addFolder : nil)
    do throws(CommandError) {
      for command in commands { try ChildProcess.run(command) }
    } catch {
      try former.restore()
      throw error
    }
    return former
  }
}
