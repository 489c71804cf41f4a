/// A disk or other volume below a storage's root that can be disconnected. Android's collection
/// identifier, one for each volume.
///
/// Assets of a disconnected volume are missing, not deleted.
public struct StorageVolume: Sendable, Hashable {
  /// The folder at which the volume is mounted; empty for the whole storage.
  public var path: String
  /// A stable text that identifies the volume; opaque, at most 256 bytes.
  public var identity: String

  public init(path: String, identity: String) {
    self.path = path
    self.identity = identity
  }
}
