import Accounts
import Glibc

/// The folders that the systemd service may write to, in a file beside its unit.
enum ServiceFolders {
  static let unit = "photobroker.service"
  static let file = "/etc/systemd/system/photobroker.service.d/folders.conf"

  private static let head = """
    # Folders in which apps may add and delete photos, as photobroker library open added them.
    # After a change: systemctl daemon-reload; systemctl restart \(unit)
    [Service]

    """

  /// The unit file's line for a folder. Without the folder, as on a missing disk, the service still
  /// starts. Source: systemd.exec(5), ReadWritePaths=; systemd.syntax(7).
  ///
  /// - Throws: `badData` for a path with a line break.
  static func line(_ folder: String) throws(CommandError) -> String {
    var quoted = ""
    for character in folder.unicodeScalars {
      switch character {
      case "\n", "\r":
        throw CommandError(.badData, "The folder's name has a line break, which a unit file cannot hold. Rename it.")
      case "\"", "\\": quoted += "\\\(character)"
      case "%": quoted += "%%"
      default: quoted.unicodeScalars.append(character)
      }
    }
    return "ReadWritePaths=\"-\(quoted)\"\n"
  }

  /// Whether the system service runs.
  static func isServed() -> Bool {
    do throws(CommandError) {
      try Subprocess.run(["systemctl", "is-active", "--quiet", unit], isQuiet: true, keepsComplaints: true)
      return true
    } catch { return false }
  }

  /// Adds a folder, unless it is there, and restarts the service, which an earlier try may have left out.
  ///
  /// - Parameter file: the file with the folders.
  /// - Throws: `cannotCreate`, `failed`.
  static func add(_ folder: String, to file: String = file) throws(CommandError) {
    let (line, present) = try check(folder, file)
    if !present.split(separator: "\n").contains(line.dropLast()) {
      let start = present.isEmpty ? head : present.hasSuffix("\n") ? present : present + "\n"
      try write(start + line, to: file)
    }
    for command in [["systemctl", "daemon-reload"], ["systemctl", "restart", unit]] {
      try Subprocess.run(command, keepsComplaints: true, advice: "See: journalctl -u \(unit)")
    }
  }

  /// - Returns: the folder's line, and the file's text.
  /// - Throws: what ``add(_:to:)`` throws before it changes anything.
  @discardableResult
  static func check(_ folder: String, _ file: String = file) throws(CommandError) -> (line: String, present: String) {
    (try line(folder), try text(of: file))
  }

  private static func text(of file: String) throws(CommandError) -> String {
    do throws(CommandError) {
      return String(decoding: try InputFile.bytes(of: file, limitBytes: 65_536), as: UTF8.self)
    } catch {
      guard error.code == .notFound else { throw error }
      return ""
    }
  }

  /// Replaces the file as a whole, so that a full disk leaves the former one.
  private static func write(_ text: String, to file: String) throws(CommandError) {
    let folder = String(file[..<(file.lastIndex(of: "/") ?? file.startIndex)])
    guard mkdir(folder, 0o755) == 0 || errno == EEXIST else { throw .file(folder, errno) }
    let draft = file + ".new"
    unlink(draft)
    var new = try NewFile(creating: draft, mode: 0o644)
    try new.keep(Array(text.utf8), orElse: "Nothing was changed. Make room on the disk of \(folder).")
    guard rename(draft, file) == 0 else { throw .file(file, errno) }
  }
}
