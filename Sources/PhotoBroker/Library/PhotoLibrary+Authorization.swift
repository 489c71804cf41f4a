import BrokerInterface

extension PhotoLibrary {
  /// What the app may do at one level. Asks nobody.
  ///
  /// - Returns: ``AuthorizationStatus/denied`` also for a status that this version does not know.
  /// - Throws: ``PhotosError``, ``PhotoLibraryError``.
  public func authorizationStatus(for level: AccessLevel) async throws -> AuthorizationStatus {
    let parameters = Library.GetAuthorizationStatus.Parameters(level: level.rawValue, library: name)
    return try await call {
      AuthorizationStatus(word: try $0.call(Library.GetAuthorizationStatus.self, parameters).status)
    }
  }

  /// Asks for access. A person is asked while the status is `notDetermined`, and this waits for the
  /// answer; otherwise the status is answered at once. The token that comes with it is kept.
  ///
  /// - Throws: `usageDescriptionMissing` where the manifest gives no reason; `CancellationError`
  ///   when the task is cancelled, which leaves the question open. See ``pollAuthorization(for:)``,
  ///   which waits for nobody.
  public func requestAuthorization(for level: AccessLevel) async throws -> AuthorizationStatus {
    try await makeLine().performUntilCancelled { [keeper, name] wire in
      try Self.request(level, library: name, on: wire, keepingIn: keeper)
    }
  }

  /// One request for access; the token that comes with it is kept.
  ///
  /// - Parameter wait: whether it waits for the person; nil: it does. Otherwise an open question is `promptPending`.
  static func request(
    _ level: AccessLevel, library: String?, wait: Bool? = nil, on wire: Wire, keepingIn keeper: TokenKeeper
  ) throws -> AuthorizationStatus {
    let answer = try wire.call(
      Library.RequestAuthorization.self, .init(level: level.rawValue, library: library, wait: wait))
    let status = AuthorizationStatus(word: answer.status)
    if let token = answer.token, status.grantsAccess { try keeper.keep(token, for: level, on: wire) }
    return status
  }

  /// The status as apps from before limited mode know it: says `authorized` where it is `limited`.
  /// What is seen is limited all the same. Deprecated since 0.1, and not in 2.0 any more.
  ///
  /// - Throws: ``PhotosError``, ``PhotoLibraryError``.
  @available(*, deprecated, message: "Not in 2.0 any more.", renamed: "authorizationStatus(for:)")
  public func authorizationStatus() async throws -> AuthorizationStatus {
    // What knows no levels knows no libraries either.
    if name != nil { return try await authorizationStatus(for: .readWrite).levelUnaware }
    return try await call {
      AuthorizationStatus(word: try $0.call(Library.LevelUnawareAuthorizationStatus.self, .init()).status)
    }
  }

  /// Asks for `readWrite` and never says `limited`. Deprecated since 0.1, and not in 2.0 any more.
  ///
  /// - Throws: as ``requestAuthorization(for:)``.
  @available(*, deprecated, message: "Not in 2.0 any more.", renamed: "requestAuthorization(for:)")
  public func requestAuthorization() async throws -> AuthorizationStatus {
    if name != nil { return try await requestAuthorization(for: .readWrite).levelUnaware }
    return try await makeLine().performUntilCancelled { [keeper] wire in
      let answer = try wire.call(Library.LevelUnawareRequestAuthorization.self, .init())
      let status = AuthorizationStatus(word: answer.status)
      if let token = answer.token, status.grantsAccess { try keeper.keep(token, for: .readWrite, on: wire) }
      return status
    }
  }

  /// Opens the selection page, and waits until the person is done; the new selection is in force then.
  ///
  /// - Returns: the identifiers of the newly selected assets.
  /// - Throws: `notLimited` where there is nothing to choose; `CancellationError`.
  public func presentLimitedLibraryPicker() async throws -> [String] {
    let hadAccess = keeper.heldLevel(for: .readWrite) != nil
    do {
      return try await choose()
    } catch let error as PhotoLibraryError where error.isOfToken {
      // Who never had access has nothing to choose from: they are not asked here.
      guard hadAccess, try await renewAccess(for: .readWrite) else { throw error }
      return try await choose()
    }
  }

  private func choose() async throws -> [String] {
    try await makeLine(for: .readWrite).performUntilCancelled { wire in
      try wire.follow(Library.PresentLimitedLibraryPicker.self, .init())
      var added: [String] = []
      while true {
        let (page, continues) = try wire.receive(Library.PresentLimitedLibraryPicker.self)
        added += page.added
        guard continues else { return added }
      }
    }
  }
}
