import BrokerInterface

extension PhotoLibrary {
  /// Runs `work`, which needs access and may use any connection. If the app holds no token for it,
  /// access is requested first.
  ///
  /// If the broker refuses a token, `work` has changed nothing and runs once more with a new token.
  /// - Throws: `accessUserDenied` and `accessRestricted` for a library with a name; the errors of
  ///   `work`.
  func withAccess<Result>(for level: AccessLevel, _ work: () async throws -> Result) async throws -> Result {
    try await requestAccess(for: level)
    do {
      return try await work()
    } catch let error as PhotoLibraryError where error.isOfToken {
      guard try await renewAccess(for: level) else { throw error }
      return try await work()
    }
  }

  func requestAccess(for level: AccessLevel) async throws {
    guard keeper.heldLevel(for: level) == nil else { return }
    _ = try await request(keeper.levelToRequest(for: level))
  }

  /// Fetches a new token for access that was granted again, for instance after its end. No person
  /// is asked who has already decided.
  ///
  /// - Returns: whether the app has access; false for the holder of a minted token alone.
  /// - Throws: the errors of ``withAccess(for:_:)``.
  func renewAccess(for level: AccessLevel) async throws -> Bool {
    guard keeper.isAppItself else { return false }
    return try await request(keeper.heldLevel(for: level) ?? keeper.levelToRequest(for: level))
  }

  private func request(_ level: AccessLevel) async throws -> Bool {
    let status = try await requestAuthorization(for: level)
    // A call without a token names no library: only for a user's single library could the broker
    // answer it.
    guard let name, !status.grantsAccess else { return status.grantsAccess }
    switch status {
    case .restricted:
      throw PhotosError(
        .accessRestricted, "An administrator forbids the access to \(name); no request can change that.")
    case .notDetermined:
      throw PhotoLibraryError(.tokenRequired, "Nobody has decided on the access to \(name); request authorization.")
    default:
      throw PhotosError(
        .accessUserDenied, "The owner of \(name) said no, or the access has ended; they can give it in their settings.")
    }
  }
}

extension PhotoLibraryError {
  var isOfToken: Bool { code == .tokenRequired || code == .tokenRefused }
}
