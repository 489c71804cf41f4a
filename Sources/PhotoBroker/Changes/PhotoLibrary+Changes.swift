import BrokerInterface

extension PhotoLibrary {
  /// Changes assets and albums: all steps that `build` adds, or none, wherever it is cut off.
  ///
  ///     try await library.performChanges { $0.setFavorite(true, for: [asset]) }
  ///
  /// What is created goes on a connection of its own, so that a large file holds up no other call;
  /// cancelling the task ends it. See ``AssetCreationRequest`` and
  /// ``AssetCollectionChangeRequest``.
  /// - Returns: what was created.
  /// - Throws: ``PhotosError``, ``PhotoLibraryError``; after `connectionLost` and
  ///   `CancellationError` the change may have been made.
  @discardableResult
  public func performChanges(_ build: @Sendable (inout ChangeRequest) throws -> Void) async throws -> ChangeResult {
    let request = try request(build)
    guard !request.steps.isEmpty else { return ChangeResult() }
    return ChangeResult(try await send(request, isDryRun: false))
  }

  /// Checks what ``performChanges(_:)`` would do, the bytes of what it creates too, and changes
  /// nothing. Whether there is room for them is found out by creating alone. A pipe is empty
  /// afterwards.
  ///
  /// - Throws: what the change would throw: ``PhotosError``, ``PhotoLibraryError``.
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
    guard !request.bytes.isEmpty else {
      return try await callWithAccess(isRepeatable: isDryRun) { try $0.call(Library.PerformChanges.self, parameters) }
    }
    let upload = ChangeUpload(parameters: parameters, bytes: request.bytes)
    let level: AccessLevel = request.createsOnly ? .addOnly : .readWrite
    return try await withAccess(for: level) {
      try await makeLine(for: level).performUntilCancelled { try upload.send(on: $0) }
    }
  }

  /// What changed in the app's view since a change token that was kept, as one change, for instance
  /// while the app was not running. Waits for nothing.
  ///
  /// - Parameter token: of an earlier ``LibraryChange``; nil answers the present token and nothing
  ///   else.
  /// - Throws: ``PhotosError``, `persistentChangeTokenExpired` where the token is too old: see
  ///   ``fetchVersions()``; ``PhotoLibraryError``.
  public func fetchPersistentChanges(since token: String?) async throws -> LibraryChange {
    let parameters = Library.FetchPersistentChanges.Parameters(since: token)
    return try await callWithAccess {
      LibraryChange(try $0.call(Library.FetchPersistentChanges.self, parameters).event)
    }
  }

  /// Identifiers and versions of all that is in the app's view, some fifty bytes each: the way back
  /// after a change token expired or a change said ``LibraryChange/mustResynchronize``.
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

  /// What changes in the app's view, from now on or since a change token that was kept.
  ///
  /// The walk has a connection of its own, which is opened by its first step and comes back by itself where it had
  /// stopped. It ends by throwing when access ends or is paused; see ``LibraryChanges``.
  /// - Parameter token: of an earlier ``LibraryChange``; nil begins now.
  public nonisolated func changes(since token: String? = nil) -> LibraryChanges {
    LibraryChanges(library: self, since: token, backoff: .standard)
  }
}
