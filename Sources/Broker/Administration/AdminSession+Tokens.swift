package import PhotoModel

extension AdminSession {
  /// Records of issued tokens, sorted by time: those of grants in the caller's libraries, and those
  /// of the caller's own apps. An administrator gets all. Revoked tokens are listed only for the
  /// latest few of each grant. The secrets are not included.
  /// - Throws: `notFound` for a library or an app outside the caller's reach.
  package func tokens(library name: LibraryName? = nil, app identifier: AppIdentifier? = nil) throws(BrokerError)
    -> [TokenRecord]
  {
    if let name { _ = try library(name) }
    if let identifier { _ = try app(identifier) }
    return tokens(within: name, identifier).filter { record in
      (name == nil || record.grant?.library == name) && (identifier == nil || record.app == identifier) && knows(record)
    }.sorted { ($0.minted, $0.accessor.value) < ($1.minted, $1.accessor.value) }
  }

  /// Candidate tokens, chosen so that no list walks through every user's.
  private func tokens(within library: LibraryName?, _ app: AppIdentifier?) -> [TokenRecord] {
    if let app { return broker.tokens.tokens(of: app) }
    if let library { return broker.tokens.tokens(of: library) }
    if isAdministrator { return Array(broker.tokens.all) }
    let own = broker.apps.apps(of: uid).flatMap { broker.tokens.tokens(of: $0.identifier) }.filter { $0.grant == nil }
    return own + libraries.flatMap { broker.tokens.tokens(of: $0.record.name) }
  }

  /// Whether the token gives nothing because its library is not offered to the app's user.
  package func isResting(_ token: TokenRecord) -> Bool {
    guard !token.isRevoked, let key = token.grant, let library = broker.libraries[key.library],
      let app = broker.apps[token.app]
    else {
      return false
    }
    return !library.isOffered(to: app.record.uid)
  }

  func knows(_ token: TokenRecord) -> Bool {
    if isAdministrator { return true }
    guard let key = token.grant else { return broker.apps[token.app]?.record.uid == uid }
    return broker.libraries[key.library].map(owns) ?? false
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
  package func mintToken(
    library name: LibraryName, app identifier: AppIdentifier, level: AccessLevel,
    completion: @escaping (Result<MintedToken, BrokerError>) -> Void
  ) {
    do throws(BrokerError) {
      let token = try accessToken(library: name, app: identifier, level: level)
      let library = try library(name)
      let decision = DecisionRecord(
        time: broker.environment.now, by: decider(in: library), action: "mint", library: name, app: identifier,
        level: level,
        before: "", after: "token \(token.accessor) given out")
      broker.store.keep([.decide(decision, change: DecisionChange(.token(token.accessor)))]) { [self] failure in
        if let failure { return completion(.failure(.failed(failure))) }
        // The caller's rights or the grant may have ended during the commit.
        completion(Result { () throws(BrokerError) in try accessToken(library: name, app: identifier, level: level) })
      }
    } catch {
      completion(.failure(error))
    }
  }

  private func accessToken(
    library name: LibraryName, app identifier: AppIdentifier, level: AccessLevel
  ) throws(BrokerError) -> MintedToken {
    let library = try library(name)
    guard decides(in: library) else { throw .ownersOnly() }
    let app = try app(identifier, for: library)
    guard let grant = broker.grants[GrantKey(library: name, app: identifier, level: level)],
      grant.record.status != .notDetermined
    else { throw .unknownGrant() }
    guard grant.status(broker.environment).grantsAccess else {
      throw BrokerError(
        .refused, "The grant gives no access, so its token would be refused; set it to limited or authorized first.")
    }
    let token = try broker.tokens.accessToken(of: grant.record, uid: app.record.uid, library: library.record)
    return MintedToken(text: token, accessor: grant.record.accessor)
  }
}
