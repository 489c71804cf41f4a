/// A new file that a storage holds where nobody finds it: see ``StorageBackend/stage(contents:size:)``.
public struct StagedFile: Sendable, Equatable {
  /// What the storage calls it; 1 to 256 bytes.
  public var name: String
  /// As ``ItemFile/identityHint`` will be once it is published; at most 256 bytes, and no other file's ever.
  public var identityHint: String

  public init(name: String, identityHint: String) {
    self.name = name
    self.identityHint = identityHint
  }
}
