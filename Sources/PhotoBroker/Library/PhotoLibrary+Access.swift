import BrokerInterface

// Our own: PhotoKit has none of these.
extension PhotoLibrary {
  /// Asks for access as ``requestAuthorization(for:)`` does, and waits for nobody: for a program
  /// without a screen, which asks once and comes back for the answer, in its next run too.
  ///
  ///     while case .pending = try await library.pollAuthorization(for: .readWrite) { try await Task.sleep(for: .seconds(30)) }
  ///
  /// The first call opens the question where nobody has decided yet, later ones find it open; a
  /// person sees it once. The token that comes with a grant is kept.
  /// - Throws: `usageDescriptionMissing` where the manifest gives no reason; ``PhotosError``,
  ///   ``PhotoLibraryError``.
  public func pollAuthorization(for level: AccessLevel) async throws -> AuthorizationAnswer {
    do {
      return try await call { [keeper, name] wire in
        .decided(try Self.request(level, library: name, wait: false, on: wire, keepingIn: keeper))
      }
    } catch let error as PhotoLibraryError where error.code == .promptPending {
      return .pending
    }
  }

  /// Everything that decides what the app may do at one level, in one answer. Asks nobody.
  ///
  /// - Throws: ``PhotosError``, ``PhotoLibraryError``.
  public func describeAccess(for level: AccessLevel) async throws -> AccessDescription {
    let parameters = Library.DescribeAccess.Parameters(level: level.rawValue, library: name)
    return try await call { AccessDescription(try $0.call(Library.DescribeAccess.self, parameters), for: level) }
  }

  /// Names of the libraries that are offered to this user: one of them is the `name` of
  /// ``init(socketPath:manifest:tokenStore:name:)``. Asks nobody, and needs no access.
  ///
  /// - Throws: ``PhotosError``, ``PhotoLibraryError``.
  public func libraries() async throws -> [String] {
    try await call { wire in
      var page = try wire.call(Library.ListLibraries.self, .init())
      var names = page.libraries
      while let cursor = page.cursor {
        page = try wire.call(Library.ListLibraries.self, .init(cursor: cursor))
        names += page.libraries
      }
      return names
    }
  }

  /// The limits that calls are held to. Asks nobody, and needs no access.
  ///
  /// - Throws: ``PhotosError``, ``PhotoLibraryError``.
  public func limits() async throws -> LibraryLimits {
    try await call { LibraryLimits(try $0.call(Library.GetLimits.self, .init()).limits) }
  }
}
