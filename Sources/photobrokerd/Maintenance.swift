import Broker
import BrokerService
import BrokerStore
import Glibc
import PluginHost

/// Operations on a state that no daemon uses.
enum Maintenance {
  /// Replaces the state by a backup.
  ///
  /// - Returns: A report for people.
  static func restore(_ path: String, into state: String) throws -> String {
    let isInput = path == "-"
    // Nonblocking, because a FIFO without a writer would block forever.
    let file = isInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw ServerError("\(path): \(String(cString: strerror(errno)))") }
    defer { if !isInput { close(file) } }
    umask(0o077)
    let restored = try StateMaintenance.restore(from: file, into: state)
    return """
      Restored. \(seal(restored))Now start the daemon. If access was revoked after the backup, or that cannot be \
      known, it pauses every grant until its owner resumes it, and withdraws offers, co-owners, administrators, \
      rules, shared albums, originals and deletions by apps. photobroker decisions lists that, and photobroker undo \
      reverses it. \(merged(restored.merged)) The replaced state is kept as state.db.before-restore, with all keys. \
      Delete it when you no longer need it.\(missing(restored.notes, in: state))
      """
  }

  private static func seal(_ restored: StateMaintenance.Restored) -> String {
    restored.isSealed
      ? ""
      : "The backup has no digest, so damage cannot be ruled out. Check the selections before you resume grants. "
  }

  private static func merged(_ merge: RestoreMerge?) -> String {
    let deleted = "Photos that were deleted since are only in the trash of their storage."
    guard let merge else {
      return
        "Photos that were hidden or marked as never shared after the backup are not known. Where grants are paused, "
        + "each owner marks them, then confirms that by undoing the decision about marks, and then resumes grants. "
        + "\(deleted) If grants are paused, apps must introduce themselves again. Later refusals of offers are lost."
    }
    let unknown =
      merge.unknown == 0
      ? ""
      : " Marked photos in libraries that the backup lacks: \(merge.unknown). Mark them again before you offer such a "
        + "library."
    let grants = merge.grants.map {
      let app = IsolatedPlugin.plain($0.app, limit: 128)
      let library = IsolatedPlugin.plain($0.library, limit: 64)
      return "\n  \(library): \(app) of user \($0.user), \($0.level): \($0.status), before \($0.before ?? "nothing")"
    }
    return
      "Photos that were hidden or marked as never shared since stay so: \(merge.marked).\(unknown) \(deleted) "
      + "Apps removed since, which stay so: \(merge.removedApps). Tokens revoked since, which stay so: "
      + "\(merge.revokedTokens). Libraries and users declined since stay so."
      + (grants.isEmpty
        ? "" : " Check these grants, which the restore changes, before you resume them:\(grants.joined())\n")
  }

  /// Lists items that the backup refers to and that are missing now, with remedies.
  private static func missing(_ notes: [BackupNote], in state: String) -> String {
    let lines = notes.compactMap { note -> String? in
      switch note.kind {
      case .plugin:
        guard PluginFinder.isName(note.name), access("\(state)/plugins/\(digest(note.value))", F_OK) != 0 else {
          return nil
        }
        return "plugin \(note.name), SHA-256 \(digest(note.value)): photobroker plugin install PATH"
      case .credentials:
        guard let library = LibraryName(note.name), access("\(state)/credentials/\(library)", F_OK) != 0 else {
          return nil
        }
        let options = note.value.split(separator: ",").prefix(64).map {
          " --credential \(IsolatedPlugin.plain(String($0), limit: 64))=FILE"
        }
        return "credentials of library \(library): photobroker library set \(library)\(options.joined())"
      }
    }
    return lines.isEmpty
      ? ""
      : "\nA backup holds no plugins and no credentials. Give these to the daemon again once it runs:\n  "
        + lines.joined(separator: "\n  ")
  }

  /// Keeps only hexadecimal digits, because a backup may come from anybody.
  private static func digest(_ text: String) -> String {
    String(text.filter { $0.isASCII && $0.isHexDigit }.prefix(64))
  }
}
