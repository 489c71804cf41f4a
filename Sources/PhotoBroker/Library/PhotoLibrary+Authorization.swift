import BrokerInterface

extension PhotoLibrary {
  /// Returns the app's status at one level. No person is asked.
  ///
  /// - Returns: ``AuthorizationStatus/denied`` also for a status that this version does not know.
  /// - Throws: ``PhotosError``, ``PhotoLibraryError``.
  public func authorizationStatus(for level: AccessLevel) async throws -> AuthorizationStatus {
    let parameters = Library.GetAuthorizationStatus.Parameters(level: level.rawValue, library: name)
    return try await call {
      AuthorizationStatus(word: try $0.call(Library.GetAuthorizationStatus.self, parameters).status)
    }
  }

  /// Asks for access. While the status is `notDetermined`, a person is asked and the call waits for
  /// the answer; otherwise it returns at once. The token of a grant is saved.
  ///
  /// - Parameter whileWaiting: called once if the request waits for a person, on the connection's
  ///   thread; nil: the app does not hear of it.
  /// - Throws: `usageDescriptionMissing` if the manifest gives no reason; `CancellationError` when
  ///   the task is cancelled, which leaves the prompt open. ``pollAuthorization(for:)`` does not
  ///   wait.
  public func requestAuthorization(
    for level: AccessLevel, whileWaiting: (@Sendable (WaitingRequest) -> Void)? = nil
  ) async throws -> AuthorizationStatus {
    try await makeLine().performUntilCancelled { [keeper, name] wire in
      try Self.request(level, library: name, on: wire, keepingIn: keeper, whileWaiting)
    }
  }

  /// Sends one request for access, and saves the token of a grant.
  ///
  /// - Parameter wait: nil or true waits for the person; false throws `promptPending` for an
  ///   unanswered prompt.
  static func request(
    _ level: AccessLevel, library: String?, wait: Bool? = nil, on wire: Wire, keepingIn keeper: TokenKeeper,
    _ whileWaiting: (@Sendable (WaitingRequest) -> Void)? = nil
  ) throws -> AuthorizationStatus {
    let parameters = Library.RequestAuthorization.Parameters(level: level.rawValue, library: library, wait: wait)
    var answer: Library.RequestAuthorization.Reply
    if let whileWaiting {
      var continues = true
      try wire.follow(Library.RequestAuthorization.self, parameters)
      repeat {
        (answer, continues) = try wire.receive(Library.RequestAuthorization.self)
        if let waiting = answer.waiting { whileWaiting(WaitingRequest(waiting)) }
      } while continues
    } else {
      answer = try wire.call(Library.RequestAuthorization.self, parameters)
    }
    let status = AuthorizationStatus(word: answer.status)
    if let token = answer.token, status.grantsAccess { try keeper.keep(token, for: level, on: wire) }
    return status
  }

  /// Returns the status as apps written before limited mode expect it: `authorized` instead of
  /// `limited`. The app still sees its selection alone. Deprecated since 0.1 and removed in 2.0.
  ///
  /// - Throws: ``PhotosError``, ``PhotoLibraryError``.
  @available(*, deprecated, message: "Not in 2.0 any more.", renamed: "authorizationStatus(for:)")
  public func authorizationStatus() async throws -> AuthorizationStatus {
    // The method without a level takes no library name either.
    if name != nil { return try await authorizationStatus(for: .readWrite).levelUnaware }
    return try await call {
      AuthorizationStatus(word: try $0.call(Library.LevelUnawareAuthorizationStatus.self, .init()).status)
    }
  }

  /// Asks for `readWrite` and answers `authorized` instead of `limited`. Deprecated since 0.1 and
  /// removed in 2.0.
  ///
  /// - Throws: the errors of ``requestAuthorization(for:)``.
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

  /// Opens the selection page and waits until the person is done. The new selection is then in
  /// force.
  ///
  /// - Returns: the identifiers of the newly selected assets.
  /// - Throws: `notLimited` if the access is not limited; `promptPending` if nothing can show the page
  ///   to its person now, who can still answer later; `CancellationError`.
  public func presentLimitedLibraryPicker() async throws -> [String] {
    let hadAccess = keeper.heldLevel(for: .readWrite) != nil
    do {
      return try await choose()
    } catch let error as PhotoLibraryError where error.isOfToken {
      // An app that never had access has no selection to edit, so no prompt is opened for it.
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
