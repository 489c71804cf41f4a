/// A new file that a storage keeps out of its listing: see
/// ``StorageBackend/stage(contents:size:)``.
public struct StagedFile: Sendable, Equatable {
  /// The storage's name of the file; 1 to 256 bytes.
  public var name: String
  /// The ``ItemFile/identityHint`` of the published file, and of no other; at most 256 bytes.
  public var identityHint: String

  public init(name: String, identityHint: String) {
    self.name = name
    self.identityHint = identityHint
  }
}
