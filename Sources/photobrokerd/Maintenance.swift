import BrokerService
import BrokerStore
import Glibc

/// What the daemon's program does with a state that no daemon serves.
enum Maintenance {
  /// Puts a backup in the state's place.
  /// - Returns: what was done, for people.
  static func restore(_ path: String, into state: String) throws -> String {
    let isInput = path == "-"
    // Nonblocking, since a FIFO that nobody writes to would keep us for ever.
    let file = isInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw ServerError("\(path): \(String(cString: strerror(errno)))") }
    defer { if !isInput { close(file) } }
    umask(0o077)
    let versions = try StateMaintenance.restore(from: file, into: state)
    return "Restored\(upgraded(versions)). Start the daemon: where anything was taken away since the backup, or where that cannot be "
      + "known, it pauses every grant until its owner resumes it. What was there before is kept as state.db.before-restore."
  }

  /// Brings a state up to date.
  /// - Returns: what was done, for people.
  static func upgrade(_ state: String) throws -> String {
    let versions = try StateMaintenance.upgrade(state)
    return versions.before == versions.after
      ? "The state is sound and up to date (schema \(versions.after))." : "The state is sound\(upgraded(versions))."
  }

  private static func upgraded(_ versions: StateMaintenance.Versions) -> String {
    versions.before == versions.after ? "" : ", and upgraded from schema \(versions.before) to \(versions.after)"
  }
}
