import Glibc

extension StoreError {
  static func locked(by process: Int32?) -> Self {
    let who = process.map { "process \($0)" } ?? "another process"
    return Self(
      .locked,
      "The state folder is in use by \(who). Stop that daemon, or give this one another folder with --state."
    )
  }

  static func folderPermissions(_ what: String) -> Self {
    Self(.permissions, "The state folder \(what), and holds keys. Make it the daemon's own with mode 0700.")
  }

  static func folderLink() -> Self {
    Self(
      .permissions,
      "The state folder is a symbolic link, which others could redirect. Name its target instead.")
  }

  static func filePermissions(_ what: String) -> Self {
    Self(.permissions, "A file in the state folder \(what), and holds keys. Make it the daemon's own with mode 0600.")
  }

  /// - Parameter kind: state or backup.
  static func otherVersion(_ found: Int64, of kind: String) -> Self {
    let advice =
      found > Schema.version
      ? "Install the newer broker that wrote it, or restore a backup of version \(Schema.version)."
      : """
      Before the first release, older versions are not upgraded. Restore a backup of version \(Schema.version), or \
      start with an empty state folder. Photos stay in their folders.
      """
    return Self(
      .otherVersion,
      """
      The \(kind) has version \(found), and this broker reads version \(Schema.version) only. Nothing was changed. \
      \(advice)
      """
    )
  }

  static func corrupt(_ what: String) -> Self {
    Self(
      .corrupt,
      """
      The state is damaged (\(what)), and the broker cannot run. Restore the last backup. Apps must then ask for \
      access again.
      """
    )
  }

  static func system(_ what: String, _ number: Int32) -> Self {
    let isFull = SQLiteError.isFull(number)
    let advice = isFull ? "Make room on its file system." : "Check the disk and the folder's permissions."
    return Self(isFull ? .full : .input, "\(what) failed (\(String(cString: strerror(number)))). \(advice)")
  }

  init(_ error: SQLiteError) {
    switch error.kind {
    case .full: self = Self(.full, "The file system of the state folder is full. Make room, then start again.")
    case .corrupt: self = .corrupt("SQLite: \(error.message)")
    case .locked: self = .locked(by: nil)
    case .refused, .input:
      self = Self(
        .input,
        "The state could not be read or written (\(error.message)). Check the disk and the folder's permissions."
      )
    }
  }
}
