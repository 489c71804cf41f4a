import BrokerInterface
public import Foundation

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

  /// Makes a child of the app's token at one level, for a helper program. The helper gets no more
  /// access than the app, under a name of its own in the owner's records, and the owner can revoke
  /// its token alone. The child ends with the app's token.
  ///
  /// - Parameters:
  ///   - name: a name for people, of 1 to 128 bytes.
  ///   - user: the number of the user whose programs may use the token; nil: the app's user. The
  ///     library must be offered to that user too.
  ///   - expires: the token's end; nil: it has no end of its own.
  /// - Throws: `limitExceeded` beyond ``LibraryLimits/childTokens``; `tokenRefused` if the app's
  ///   token is a child itself, or counts uses or bytes; ``PhotosError``, ``PhotoLibraryError``.
  public func mintChildToken(
    for level: AccessLevel, name: String, user: UInt32? = nil, expires: Date? = nil
  ) async throws -> ChildToken {
    let parameters = Library.MintChildToken.Parameters(
      level: level.rawValue, name: name, uid: user.map(Int64.init), expires: expires?.microseconds)
    return try await call {
      let reply = try $0.call(Library.MintChildToken.self, parameters)
      return ChildToken(text: reply.token, accessor: reply.accessor)
    }
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
