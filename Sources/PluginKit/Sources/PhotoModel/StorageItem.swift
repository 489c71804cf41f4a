/// What a storage backend has under one name: a photo or a video, and the files that go with it.
public struct StorageItem: Sendable, Hashable {
  /// The photo or video itself, role `original`.
  public var primary: ItemFile
  /// Files of the same name and folder that belong to it: a raw file beside a JPEG, XMP sidecars,
  /// an edited version. The video of a Live Photo is an item of its own: names prove nothing, and
  /// the broker reads what is in the files.
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
  /// How the backend finds the file again: for a backend with a root folder the path below it. UTF-8, at most 4,096
  /// bytes, no `..` component, no control characters.
  public var locator: String
  /// The name that people see, without a folder; at most 255 bytes.
  public var filename: String
  /// Bytes.
  public var size: Int64
  /// Another text whenever the bytes are other ones; at most 256 bytes. Where the backend has a
  /// hash of the bytes without reading them, ``contentVersion(hash:)`` of it: the same bytes are
  /// then known again in another place, and nothing is read for that. For a backend with a root
  /// folder, whose files the broker opens itself,
  /// ``contentVersion(size:modifiedSeconds:nanoseconds:inode:)``: the broker then sees whether what
  /// it opened is what was listed, where it would have to compare the bytes.
  public var contentVersion: String
  /// The same text wherever the file is moved or renamed to, and never another file's, also not of
  /// one that is made once this one is gone: who may see this photo would see that one. An inode,
  /// whose number is given out again, is none by itself. Nil where the backend has no such thing.
  /// At most 256 bytes.
  public var identityHint: String?
  /// When the bytes last changed.
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

  /// A version that says which bytes they are: two files that have the same one have the same
  /// bytes.
  /// - Parameter hash: Its name, a colon and what it is, such as `sha1:da39a3…`; of all bytes, and
  ///   strong enough that no two photos have the same one by chance. At most 250 bytes.
  public static func contentVersion(hash: String) -> String { "hash:\(hash)" }

  /// A version by what the system says of a file, as `fstat` gives it.
  /// - Parameter inode: 0 where the file system keeps no such number for a file, and makes one up
  ///   when it is looked at: size and time are then all that is compared.
  public static func contentVersion(size: Int64, modifiedSeconds: Int64, nanoseconds: Int64, inode: UInt64) -> String {
    "file:\(size) \(modifiedSeconds).\(nanoseconds) \(inode)"
  }

  /// Whether a version was made by what the system says of a file.
  public static func isFileState(_ contentVersion: String) -> Bool { contentVersion.hasPrefix("file:") }

  /// Whether a version says which bytes they are.
  public static func isHash(_ contentVersion: String) -> Bool { contentVersion.hasPrefix("hash:") }
}
