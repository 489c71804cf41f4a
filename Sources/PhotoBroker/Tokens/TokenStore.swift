/// Storage for an app's tokens between its runs.
///
/// Methods are called on any thread. The caller sees their errors as
/// ``PhotoLibraryError/Code/tokenStoreFailed``.
public protocol TokenStore: Sendable {
  /// Loads the last saved tokens; none before the first save.
  func load() throws -> StoredTokens
  /// Replaces the saved tokens, completely or, on an error, not at all.
  func save(_ tokens: StoredTokens) throws
  /// Runs `body` while no other process with the same store runs one. The default does not lock,
  /// which is enough for a store of one process.
  func exclusively(_ body: () throws -> Void) throws
}

extension TokenStore {
  /// Runs `body` without a lock.
  public func exclusively(_ body: () throws -> Void) throws { try body() }
}
