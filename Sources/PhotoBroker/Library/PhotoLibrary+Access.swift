import BrokerInterface

extension PhotoLibrary {
  /// Asks for access as ``requestAuthorization(for:)`` does, without waiting for the person. A
  /// program without a screen asks once and polls for the answer, in its next run too.
  ///
  ///     while case .pending = try await library.pollAuthorization(for: .readWrite) {
  ///       try await Task.sleep(for: .seconds(30))
  ///     }
  ///
  /// The first call opens a prompt if nobody has decided yet; later calls find it open. The person
  /// sees it once. The token of a grant is saved.
  /// - Throws: `usageDescriptionMissing` if the manifest gives no reason; ``PhotosError``,
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

  /// Describes the app's access at one level. No person is asked.
  ///
  /// - Throws: ``PhotosError``, ``PhotoLibraryError``.
  public func describeAccess(for level: AccessLevel) async throws -> AccessDescription {
    let parameters = Library.DescribeAccess.Parameters(level: level.rawValue, library: name)
    return try await call { AccessDescription(try $0.call(Library.DescribeAccess.self, parameters), for: level) }
  }

  /// Lists the names of the libraries that are offered to this user. Each is a valid `name` for
  /// ``init(socketPath:manifest:tokenStore:name:)``. No person is asked, and no access is needed.
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

  /// Reads the broker's limits for calls. No person is asked, and no access is needed.
  ///
  /// - Throws: ``PhotosError``, ``PhotoLibraryError``.
  public func limits() async throws -> LibraryLimits {
    try await call { LibraryLimits(try $0.call(Library.GetLimits.self, .init()).limits) }
  }
}
