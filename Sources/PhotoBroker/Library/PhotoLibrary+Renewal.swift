import BrokerInterface

extension PhotoLibrary {
  /// Does what needs access, on whatever connection: where the app holds none, a person is asked first, if ever.
  ///
  /// Work whose token was refused is done once more with a new one: it has changed nothing.
  /// - Throws: `accessUserDenied` and `accessRestricted` for a library that has a name; what the work throws.
  func withAccess<Result>(for level: AccessLevel, _ work: () async throws -> Result) async throws -> Result {
    try await requestAccess(for: level)
    do {
      return try await work()
    } catch let error as PhotoLibraryError where error.isOfToken {
      guard try await renewAccess(for: level) else { throw error }
      return try await work()
    }
  }

  /// Asks for access where no token for it is held.
  ///
  /// - Throws: as ``withAccess(for:_:)``.
  func requestAccess(for level: AccessLevel) async throws {
    guard keeper.heldLevel(for: level) == nil else { return }
    _ = try await request(keeper.levelToRequest(for: level))
  }

  /// Fetches a new token for access that was granted anew, for instance where it ended and the
  /// owner took that back. Nobody is asked who has decided.
  ///
  /// - Returns: whether there is access. False for who holds nothing but a minted token.
  /// - Throws: as ``withAccess(for:_:)``.
  func renewAccess(for level: AccessLevel) async throws -> Bool {
    guard keeper.isAppItself else { return false }
    return try await request(keeper.heldLevel(for: level) ?? keeper.levelToRequest(for: level))
  }

  /// Requests access; answers whether there is any.
  private func request(_ level: AccessLevel) async throws -> Bool {
    let status = try await requestAuthorization(for: level)
    // What is sent without a token names no library: the broker could only answer for the one that is offered alone.
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
  /// Whether a token is what the call lacked.
  var isOfToken: Bool { code == .tokenRequired || code == .tokenRefused }
}
