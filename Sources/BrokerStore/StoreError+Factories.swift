import Glibc

extension StoreError {
  static func locked(by process: Int32?) -> Self {
    let who = process.map { "process \($0)" } ?? "another process"
    return Self(
      .locked,
      "The state folder is in use by \(who): one daemon at a time. Stop that one, or give this one a folder of its own."
    )
  }

  static func folderPermissions(_ what: String) -> Self {
    Self(.permissions, "The state folder \(what); it holds keys. Make it the daemon's own with mode 0700.")
  }

  static func folderLink() -> Self {
    Self(
      .permissions,
      "The state folder is a symbolic link, which can be made to lead elsewhere. Name the folder that it leads to.")
  }

  static func filePermissions(_ what: String) -> Self {
    Self(.permissions, "A file in the state folder \(what); it holds keys. Make it the daemon's own with mode 0600.")
  }

  /// - Parameter kind: state or backup.
  static func otherVersion(_ found: Int64, of kind: String) -> Self {
    let advice =
      found > Schema.version
      ? "Install the newer broker that wrote it, or restore a backup of version \(Schema.version)."
      : "Before the first release no older version is upgraded. Restore a backup of version \(Schema.version), or start with an empty state folder; photos stay in their folders."
    return Self(
      .otherVersion,
      "The \(kind) has version \(found), and this broker reads version \(Schema.version) only. Nothing was changed. \(advice)"
    )
  }

  static func corrupt(_ what: String) -> Self {
    Self(
      .corrupt,
      "The state is damaged (\(what)), so nothing is served. Restore the last backup of the state folder; apps then have to ask again."
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
        "The state could not be read or written (SQLite: \(error.message)). Check the disk and the folder's permissions."
      )
    }
  }
}
