/// One item of a storage: a photo or video, and the files that belong to it.
public struct StorageItem: Sendable, Hashable {
  /// The photo or video itself, with the role `original`.
  public var primary: ItemFile
  /// Other files of that folder and name: a RAW file beside a JPEG, XMP sidecars, an edited photo.
  ///
  /// A Live Photo's video is an item of its own: the broker pairs it by content, not by name.
  public var others: [ItemFile]
  public var source: SourceType

  public init(primary: ItemFile, others: [ItemFile] = [], source: SourceType = .userLibrary) {
    self.primary = primary
    self.others = others
    self.source = source
  }
}

/// One file of an item.
public struct ItemFile: Sendable, Hashable {
  public var role: ResourceRole
  /// The backend's key of the file. For a backend with a root folder it is the path below the root.
  /// UTF-8, at most 4,096 bytes, no `..` component, no control characters.
  public var locator: String
  /// The name that people see, without a folder; at most 255 bytes.
  public var filename: String
  /// Size in bytes.
  public var size: Int64
  /// A text that changes whenever the bytes change; at most 256 bytes.
  ///
  /// A backend with a hash at hand uses ``contentVersion(hash:)``: the broker then recognizes the
  /// same bytes at another locator without reading them. A backend with a root folder uses
  /// ``contentVersion(size:modifiedSeconds:nanoseconds:inode:)``: the broker can then tell an
  /// opened file from the listed one without comparing bytes.
  public var contentVersion: String
  /// An identity that survives moves and renames; at most 256 bytes. Nil if the backend has none.
  ///
  /// No other file may ever get it, not even after this one is deleted: people who may see this
  /// photo would see the other one. An inode number alone is not enough: file systems reuse it.
  public var identityHint: String?
  /// Time of the last change of the bytes.
  public var modified: Timestamp

  public init(
    role: ResourceRole, locator: String, filename: String, size: Int64, contentVersion: String, identityHint: String?,
    modified: Timestamp
  ) {
    self.role = role
    self.locator = locator
    self.filename = filename
    self.size = size
    self.contentVersion = contentVersion
    self.identityHint = identityHint
    self.modified = modified
  }

  /// Makes a version that identifies the bytes: files with equal versions have equal bytes.
  /// - Parameter hash: the hash's name, a colon and its value, such as `sha1:da39a3…`. It covers
  ///   all bytes, and is strong enough to exclude collisions by chance. At most 250 bytes.
  public static func contentVersion(hash: String) -> String { "hash:\(hash)" }

  /// Makes a version from a file's state, as `fstat` returns it.
  /// - Parameter inode: 0 without stable inode numbers; size and time alone are compared then.
  public static func contentVersion(size: Int64, modifiedSeconds: Int64, nanoseconds: Int64, inode: UInt64) -> String {
    "file:\(size) \(modifiedSeconds).\(nanoseconds) \(inode)"
  }

  /// Whether a version holds a file's state.
  public static func isFileState(_ contentVersion: String) -> Bool { contentVersion.hasPrefix("file:") }

  /// Whether a version holds a hash of the bytes.
  public static func isHash(_ contentVersion: String) -> Bool { contentVersion.hasPrefix("hash:") }
}
