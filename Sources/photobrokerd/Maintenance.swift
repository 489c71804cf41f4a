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
    return
      "Restored. \(seal(restored))Now start the daemon. If rights were revoked after the backup, or that cannot be "
      + "known, it pauses every grant until its owner resumes it, and withdraws offers, co-owners, administrators, "
      + "rules, shared albums, originals and deletions by apps. photobroker decisions lists that, and photobroker "
      + "undo reverses it. "
      + marks(restored.carried)
      + " The replaced state is kept as state.db.before-restore, with all keys; delete it when you no longer need it."
      + missing(restored.notes, in: state)
  }

  private static func seal(_ restored: StateMaintenance.Restored) -> String {
    restored.isSealed
      ? ""
      : "The file has no digest, like every plain copy of a state, so damage cannot be ruled out. Check the selections before you resume grants. "
  }

  private static func marks(_ carried: CarriedCount?) -> String {
    guard let carried else {
      return
        "Marks that were set after the backup are lost: hide those photos, or mark them never shared, before you "
        + "resume grants. Photos that were deleted since are only in the trash of their storage. If grants are "
        + "paused, apps introduce themselves anew. Later refusals of offers are lost."
    }
    let unknown =
      carried.unknown == 0
      ? ""
      : " Photos marked or deleted in libraries that the backup lacks: \(carried.unknown). Mark them again before you offer such a library; photos deleted there are only in the trash of its storage."
    let back =
      carried.broughtBack == 0 ? "" : " Photos restored from the trash since: \(carried.broughtBack)."
    return
      "Photos hidden or marked never shared since, which stay so: \(carried.marked). Photos deleted since, which are "
      + "in the trash: \(carried.trashed).\(back)\(unknown) Libraries and users declined since, which stay so: "
      + "\(carried.declined)."
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
