/// A disk, or another whole thing that can come and go, below a storage backend's root. Android's
/// collection identifier, for each of them: what is missing on a volume that is not there has not
/// been deleted.
public struct StorageVolume: Sendable, Hashable {
  /// The folder where it begins; empty for the whole storage.
  public var path: String
  /// The same text for as long as it is the same volume; opaque, at most 256 bytes.
  public var identity: String

  public init(path: String, identity: String) {
    self.path = path
    self.identity = identity
  }
}
