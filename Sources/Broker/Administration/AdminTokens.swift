package import PhotoModel

/// The tokens of the caller's libraries and apps.
package struct AdminTokens: AdminPart {
  let caller: AdminSession

  /// Records of issued tokens, sorted by time: those of grants in the caller's libraries, and those
  /// of the caller's own apps. An administrator gets all. Revoked tokens are listed only for the
  /// latest few of each grant. The secrets are not included.
  /// - Throws: `notFound` for a library or an app outside the caller's reach.
  package func list(library name: LibraryName? = nil, app identifier: AppIdentifier? = nil) throws(BrokerError)
    -> [TokenRecord]
  {
    if let name { _ = try caller.library(name) }
    if let identifier { _ = try caller.app(identifier) }
    return tokens(within: name, identifier).filter { record in
      (name == nil || record.grant?.library == name) && (identifier == nil || record.app == identifier) && knows(record)
    }.sorted { ($0.minted, $0.accessor.value) < ($1.minted, $1.accessor.value) }
  }

  /// Candidate tokens, chosen so that no list walks through every user's.
  private func tokens(within library: LibraryName?, _ app: AppIdentifier?) -> [TokenRecord] {
    if let app { return broker.tokens.tokens(of: app) }
    if let library { return broker.tokens.tokens(of: library) }
    if caller.isAdministrator { return Array(broker.tokens.all) }
    let own = broker.apps.apps(of: caller.uid).flatMap { broker.tokens.tokens(of: $0.identifier) }.filter {
      $0.grant == nil
    }
    return own + caller.libraries.list.flatMap { broker.tokens.tokens(of: $0.record.name) }
  }

  /// Whether the token gives nothing because its library is not offered to the app's user.
  package func isResting(_ token: TokenRecord) -> Bool {
    guard !token.isRevoked, let key = token.grant, let library = broker.libraries[key.library],
      let app = broker.apps[token.app]
    else {
      return false
    }
    return ![app.record.uid, token.child?.uid ?? app.record.uid].allSatisfy(library.isOffered)
  }

  private func knows(_ token: TokenRecord) -> Bool {
    if caller.isAdministrator { return true }
    guard let key = token.grant else { return broker.apps[token.app]?.record.uid == caller.uid }
    return broker.libraries[key.library].map(caller.owns) ?? false
  }

  /// A token issued to an owner.
  package struct MintedToken: Sendable {
    package let text: String
    /// Names the token without its secret.
    package let accessor: Accessor
  }

  /// Issues a grant's token, for its owner to hand to the app beforehand. The app gets the same
  /// token when it asks. The issue is recorded before the token is returned (R131).
  /// - Throws (by `completion`): `notFound`; `notPermitted` to an administrator; `refused` for a
  ///   grant without access; `failed`.
  package func mint(
    library name: LibraryName, app identifier: AppIdentifier, level: AccessLevel,
    completion: @escaping Completion<MintedToken>
  ) {
    attempt(completion) { () throws(BrokerError) in
      let token = try accessToken(library: name, app: identifier, level: level)
      let library = try caller.library(name)
      let decision = DecisionRecord(
        time: broker.environment.now, by: caller.decider(in: library), action: "mint", library: name, app: identifier,
        level: level,
        before: "", after: "token \(token.accessor) given out")
      broker.store.commit([.decide(decision, change: DecisionChange(.token(token.accessor)))]) { [self] failure in
        if let failure { return completion(.failure(.failed(failure))) }
        // The caller's rights or the grant may have ended during the commit.
        completion(Result { () throws(BrokerError) in try accessToken(library: name, app: identifier, level: level) })
      }
    }
  }

  /// Makes a child of a grant's token, for its owner to hand to a helper of the app (R155).
  /// - Throws (by `completion`): as ``mint(library:app:level:completion:)``; `refused` for an end in
  ///   the past; `limitExceeded`.
  package func mintChild(
    _ request: ChildTokenRequest, library name: LibraryName, app identifier: AppIdentifier, level: AccessLevel,
    completion: @escaping Completion<MintedToken>
  ) {
    attempt(completion) { () throws(BrokerError) in
      let (library, app, grant) = try mintable(library: name, app: identifier, level: level)
      try broker.childTokens.mint(request, of: grant, app, library, by: caller.decider(in: library)) { [self] result in
        completion(
          result.flatMap { minted in
            // The caller's rights or the grant may have ended during the commit.
            Result { () throws(BrokerError) in
              _ = try mintable(library: name, app: identifier, level: level)
              return minted
            }
          })
      }
    }
  }

  private func accessToken(
    library name: LibraryName, app identifier: AppIdentifier, level: AccessLevel
  ) throws(BrokerError) -> MintedToken {
    let (library, app, grant) = try mintable(library: name, app: identifier, level: level)
    let token = try broker.tokens.accessToken(of: grant.record, uid: app.record.uid, library: library.record)
    return MintedToken(text: token, accessor: grant.record.accessor)
  }

  private func mintable(
    library name: LibraryName, app identifier: AppIdentifier, level: AccessLevel
  ) throws(BrokerError) -> (LibraryState, App, GrantState) {
    let library = try caller.library(name)
    guard caller.decides(in: library) else { throw .ownersOnly() }
    let app = try caller.app(identifier, for: library)
    guard let grant = broker.grants[GrantKey(library: name, app: identifier, level: level)],
      grant.record.status != .notDetermined
    else { throw .unknownGrant() }
    guard grant.status(broker.environment).grantsAccess else {
      throw .refused("The grant gives no access, so its token would be refused; give access first.")
    }
    return (library, app, grant)
  }

  /// Revokes one token and all tokens derived from it (R125). The decision stays, and the app can
  /// request a new token. A child token ends alone. For an app's own token, the token stops naming
  /// the app. Connections that rest on it, or on a child, close.
  package func revoke(_ accessor: Accessor, completion: @escaping Completion<Receipt>) {
    attempt(completion) { () throws(BrokerError) in
      guard let record = broker.tokens[accessor], !record.isRevoked, knows(record) else { throw .unknownToken() }
      if record.child != nil {
        guard let library = record.grant.flatMap({ broker.libraries[$0.library] }) else { throw .unknownToken() }
        broker.childTokens.revoke(record, by: caller.decider(in: library), completion: completion)
      } else if let key = record.grant {
        guard let grant = broker.grants[key], grant.record.accessor == accessor else { throw .unknownToken() }
        let fresh = broker.newAccessor()
        caller.grants.submit(to: [grant], action: "revokeToken", completion: completion) { _ in { $0.accessor = fresh }
        }
      } else {
        guard let app = broker.apps[record.app] else { throw .unknownToken() }
        replaceToken(of: app, completion: completion)
      }
    }
  }

  private func replaceToken(of app: App, completion: @escaping Completion<Receipt>) {
    let old = app.record.accessor
    app.record.accessor = broker.newAccessor()
    var changes: [StoreChange] = [
      .revokeToken(old), .putApp(app.record), .putToken(broker.appRegistrar.ownToken(of: app.record)),
    ]
    changes += broker.tokens.note(changes)
    let decisions = replacements(of: old, of: app).map { ($0, DecisionNumber()) }
    changes += decisions.map { .decide($0, number: $1) } + [broker.narrowingMark()]
    let resting = broker.sessions.sessions(of: app.identifier).filter { $0.ownAccessor == old }
    for session in resting { broker.delegate?.closeSession(session) }
    broker.store.commit(changes) { failure in
      if let failure { return completion(.failure(.notKept(failure, narrowed: true))) }
      completion(
        .success(
          Receipt(
            effect: NarrowingEffect(connections: resting.count), decisions: decisions.compactMap(\.1.value).sorted())))
    }
  }

  /// The decisions that record a replaced token: one for each library with a decision about the
  /// app, or one without a library. Replacements by the app's user outside their own libraries are
  /// recorded at most a few times per hour.
  private func replacements(of token: Accessor, of app: App) -> [DecisionRecord] {
    func record(_ decider: Decider, _ library: LibraryName?) -> DecisionRecord {
      DecisionRecord(
        time: broker.environment.now, by: decider, action: "revokeToken", library: library, app: app.identifier,
        before: "own token \(token)", after: "revoked")
    }
    let decided = Set(
      broker.grants[app: app.identifier].lazy.filter { $0.record.status != .notDetermined }.map(\.record.key.library))
    let libraries = decided.sorted().compactMap { broker.libraries[$0] }
    let role: DecisionRole = caller.isAdministrator ? .administrator : .user
    let records =
      libraries.isEmpty
      ? [
        record(
          Decider(
            uid: caller.uid, role: role, origin: caller.origin,
            source: caller.isAdministrator ? .administrator : .settings), nil)
      ]
      : libraries.map { record(caller.decider(in: $0), $0.record.name) }
    guard records.contains(where: { $0.role == .user }) else { return records }
    return app.noteReplacement(at: broker.environment.monotonic) ? records : records.filter { $0.role != .user }
  }
}
