import BrokerInterface

extension PhotoLibrary {
  /// Changes assets and albums. The broker makes all steps that `build` adds or, on any error or
  /// interruption, none.
  ///
  ///     try await library.performChanges { $0.setFavorite(true, for: [asset]) }
  ///
  /// A change that creates or deletes assets uses a connection of its own: a large file, or a person
  /// who confirms a deletion, delays no other call. Cancelling the task ends it. See ``AssetCreationRequest`` and
  /// ``AssetCollectionChangeRequest``.
  /// - Returns: the created assets and albums.
  /// - Throws: ``PhotosError``, with `userCancelled` if a person refuses a deletion;
  ///   ``PhotoLibraryError``. After `connectionLost` and
  ///   `CancellationError` the change may have been made.
  @discardableResult
  public func performChanges(_ build: @Sendable (inout ChangeRequest) throws -> Void) async throws -> ChangeResult {
    let request = try request(build)
    guard !request.steps.isEmpty else { return ChangeResult() }
    return ChangeResult(try await send(request, isDryRun: false))
  }

  /// Checks a call of ``performChanges(_:)``, including the bytes of its assets, and changes
  /// nothing. The check does not cover free space. A pipe is empty afterwards.
  ///
  /// - Throws: the errors of the change: ``PhotosError``, ``PhotoLibraryError``.
  public func checkChanges(_ build: @Sendable (inout ChangeRequest) throws -> Void) async throws {
    let request = try request(build)
    guard !request.steps.isEmpty else { return }
    _ = try await send(request, isDryRun: true)
  }

  private func request(_ build: (inout ChangeRequest) throws -> Void) throws -> ChangeRequest {
    var request = ChangeRequest()
    try build(&request)
    try request.check()
    request.leaveOutEmptySteps()
    return request
  }

  private func send(_ request: ChangeRequest, isDryRun: Bool) async throws -> Library.PerformChanges.Reply {
    let parameters = Library.PerformChanges.Parameters(changes: request.steps, dryRun: isDryRun ? true : nil)
    guard !request.bytes.isEmpty || request.deletesAssets && !isDryRun else {
      return try await callWithAccess(isRepeatable: isDryRun) { try $0.call(Library.PerformChanges.self, parameters) }
    }
    let upload = ChangeUpload(parameters: parameters, bytes: request.bytes)
    let level: AccessLevel = request.createsOnly ? .addOnly : .readWrite
    return try await withAccess(for: level) {
      try await makeLine(for: level).performUntilCancelled { try upload.send(on: $0) }
    }
  }

  /// Fetches the changes of the app's view since a saved change token, as one change. It does not
  /// wait. An app calls it for instance to catch up after a start.
  ///
  /// - Parameter token: the token of an earlier ``LibraryChange``; nil returns the current token
  ///   alone.
  /// - Throws: ``PhotosError``, with `persistentChangeTokenExpired` if the token is too old (see
  ///   ``fetchVersions()``); ``PhotoLibraryError``.
  public func fetchPersistentChanges(since token: String?) async throws -> LibraryChange {
    let parameters = Library.FetchPersistentChanges.Parameters(since: token)
    return try await callWithAccess {
      LibraryChange(try $0.call(Library.FetchPersistentChanges.self, parameters).event)
    }
  }

  /// Fetches identifier and version of every asset in the app's view, about fifty bytes each. An
  /// app compares them with its own after a change token expired or a change said
  /// ``LibraryChange/mustResynchronize``.
  ///
  /// - Throws: ``PhotosError``, ``PhotoLibraryError``.
  public func fetchVersions() async throws -> ViewVersions {
    var found = ViewVersions()
    var parameters = Library.FetchVersions.Parameters()
    repeat {
      let page = try await callWithAccess { [parameters] in try $0.call(Library.FetchVersions.self, parameters) }
      found.add(page)
      parameters.cursor = page.cursor
    } while parameters.cursor != nil
    return found
  }

  /// Observes changes of the app's view, from now on or since a saved change token.
  ///
  /// The iterator has a connection of its own, opens it at its first step, and reconnects without
  /// losing changes. It outlives a pause or an end of access; see ``LibraryChanges``.
  /// - Parameter token: the token of an earlier ``LibraryChange``; nil starts now.
  public nonisolated func changes(since token: String? = nil) -> LibraryChanges {
    LibraryChanges(library: self, since: token, backoff: .standard)
  }
}
