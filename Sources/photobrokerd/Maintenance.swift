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
      "Restored. \(seal(restored))Start the daemon: where anything was taken away since the backup, or where that cannot be "
      + "known, it pauses every grant until its owner resumes it, and withdraws what else gives access: offers, co-owners, administrators, "
      + "rules, shared albums, originals, deletions by apps. photobroker decisions lists that, and photobroker undo takes it back. "
      + marks(restored.carried)
      + " What was there before is kept as state.db.before-restore, keys and all; delete it once it is not needed any more."
      + missing(restored.notes, in: state)
  }

  private static func seal(_ restored: StateMaintenance.Restored) -> String {
    restored.isSealed
      ? ""
      : "What was given has no digest, as a plain copy of a state has none: it can be read, but whether it "
        + "was damaged since cannot be told. Look through what is selected before grants are resumed. "
  }

  private static func marks(_ carried: CarriedCount?) -> String {
    guard let carried else {
      return
        "Photos that were hidden or marked as never shared since cannot be known: mark them before grants are resumed. Those that were "
        + "deleted since are in the trash of their storage alone. Where grants are paused, apps introduce themselves anew. What users declined since is offered to them again once it is offered."
    }
    let unknown =
      carried.unknown == 0
      ? ""
      : " Photos that were marked or deleted in libraries that the backup does not know: \(carried.unknown). Mark them again before such a "
        + "library is offered once more; what was deleted there is in the trash of its storage alone."
    let back =
      carried.broughtBack == 0 ? "" : " Photos that were brought back from the trash since: \(carried.broughtBack)."
    return "Photos that were hidden or marked as never shared since stay so: \(carried.marked). "
      + "Photos that were deleted since are in the trash: \(carried.trashed).\(back)\(unknown) "
      + "Libraries and users that were declined since stay so: \(carried.declined)."
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
      : "\nA backup holds no plugins and no credentials. Once the daemon runs, give it again:\n  "
        + lines.joined(separator: "\n  ")
  }

  /// Keeps only hexadecimal digits, because a backup may come from anybody.
  private static func digest(_ text: String) -> String {
    String(text.filter { $0.isASCII && $0.isHexDigit }.prefix(64))
  }
}
