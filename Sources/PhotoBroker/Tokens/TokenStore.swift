/// Where an app keeps its tokens between two runs.
///
/// Called from any thread; what it throws reaches the caller as ``PhotoLibraryError/Code/tokenStoreFailed``.
public protocol TokenStore: Sendable {
  /// What was kept last; nothing at first.
  func load() throws -> StoredTokens
  /// Keeps these in place of the ones before: all of them or, on an error, none.
  func save(_ tokens: StoredTokens) throws
  /// Runs `body` while no other process that keeps its tokens in the same place runs one. By
  /// default just runs it, which is enough where one process alone uses the store.
  func exclusively(_ body: () throws -> Void) throws
}

extension TokenStore {
  /// Just runs `body`.
  public func exclusively(_ body: () throws -> Void) throws { try body() }
}
