package import PhotoModel

/// The grants to revoke. The criteria that are set apply together.
package struct RevocationScope: Sendable {
  package var library: LibraryName?
  package var app: AppIdentifier?
  package var uid: UInt32?
  package var level: AccessLevel?
  /// Must be true if no other criterion is set.
  package var everything: Bool

  package init(
    library: LibraryName? = nil, app: AppIdentifier? = nil, uid: UInt32? = nil, level: AccessLevel? = nil,
    everything: Bool = false
  ) {
    self.library = library
    self.app = app
    self.uid = uid
    self.level = level
    self.everything = everything
  }

  var isEmpty: Bool { library == nil && app == nil && uid == nil && level == nil }
}

extension AdminSession {
  /// Ends access given by pickers to assets that were not loaded yet.
  func endPicks(in scope: RevocationScope) -> NarrowingEffect {
    broker.endPicks { key in
      (broker.libraries[key.library].map { owns($0) || isAdministrator } ?? false)
        && (scope.library == nil || key.library == scope.library) && (scope.app == nil || key.app == scope.app)
        && scope.level != .addOnly && (scope.uid == nil || broker.apps[key.app]?.record.uid == scope.uid)
    }
  }

  /// Ends access at once and for good: `denied` by an owner, `restricted` by an administrator (R4).
  /// Every grant has ended when this returns; `completion` is called when that is stored.
  /// - Throws (by `completion`): `notFound` for a library or an app outside the caller's reach;
  ///   `refused` for an empty scope without `everything`; `failed`.
  package func revoke(_ scope: RevocationScope, completion: @escaping (Result<Receipt, BrokerError>) -> Void) {
    do throws(BrokerError) {
      let found = try grants(in: scope)
      let effect = endPicks(in: scope)
      revoke(found, recipients: recipients(in: scope)) { result in
        completion(result.map { $0 + Receipt(effect: effect) })
      }
    } catch {
      completion(.failure(error))
    }
  }

  /// Grants of a scope that give access, or are about to, and that the caller may revoke.
  func grants(in scope: RevocationScope) throws(BrokerError) -> [GrantState] {
    guard !scope.isEmpty || scope.everything else {
      throw BrokerError(
        .refused, .revokeWhat, "Name a library, an app, a user, a level or a token, or choose everything.")
    }
    if let name = scope.library { _ = try library(name) }
    if let identifier = scope.app {
      if let name = scope.library { _ = try app(identifier, for: library(name)) } else { _ = try app(identifier) }
    }
    return broker.grants.giving { grant in
      let key = grant.record.key
      return reaches(grant)
        && (scope.library == nil || key.library == scope.library) && (scope.app == nil || key.app == scope.app)
        && (scope.level == nil || key.level == scope.level)
        && (scope.uid == nil || broker.apps[key.app]?.record.uid == scope.uid)
    }
  }

  /// Apps of a scope that may have received assets, in libraries whose deliveries the caller may see.
  private func recipients(in scope: RevocationScope) -> [GrantKey] {
    guard scope.level != .addOnly else { return [] }
    return broker.libraries.values.filter {
      (owns($0) || isAdministrator) && (scope.library == nil || $0.record.name == scope.library)
    }
    .flatMap { library in
      let apps = scope.app.map { [$0] } ?? broker.recipients(in: library)
      return apps.filter { scope.uid == nil || broker.apps[$0]?.record.uid == scope.uid }
        .map { GrantKey(library: library.record.name, app: $0, level: .readWrite) }
    }
  }

  func revoke(
    _ grants: [GrantState], recipients: [GrantKey] = [], completion: @escaping (Result<Receipt, BrokerError>) -> Void
  ) {
    submit(to: grants, action: "revoke", recipients: recipients, completion: completion) { grant in
      let isOwner = broker.libraries[grant.record.key.library].map(owns) ?? false
      let settings = GrantSettings(status: isOwner ? .denied : .restricted)
      let fresh = broker.newAccessor()
      return { settings.apply(to: &$0, by: isOwner ? .owner : .administrator, accessor: fresh, hasEnded: false) }
    }
  }

  /// Revokes one token and all tokens derived from it (R125). The decision stays, and the app can
  /// request a new token. For an app's own token, the token stops naming the app, and connections
  /// that rest on it close.
  package func revoke(token accessor: Accessor, completion: @escaping (Result<Receipt, BrokerError>) -> Void) {
    do throws(BrokerError) {
      guard let record = broker.tokens[accessor], !record.isRevoked, knows(record) else { throw .unknownToken() }
      if let key = record.grant {
        guard let grant = broker.grants[key], grant.record.accessor == accessor else { throw .unknownToken() }
        let fresh = broker.newAccessor()
        submit(to: [grant], action: "revokeToken", completion: completion) { _ in { $0.accessor = fresh } }
      } else {
        guard let app = broker.apps[record.app] else { throw .unknownToken() }
        replaceToken(of: app, completion: completion)
      }
    } catch {
      completion(.failure(error))
    }
  }
}

extension AdminSession {
  private func replaceToken(of app: App, completion: @escaping (Result<Receipt, BrokerError>) -> Void) {
    let old = app.record.accessor
    app.record.accessor = broker.newAccessor()
    var changes: [StoreChange] = [.revokeToken(old), .putApp(app.record), .putToken(broker.ownToken(of: app.record))]
    changes += broker.tokens.note(changes)
    let decisions = replacements(of: old, of: app).map { ($0, DecisionNumber()) }
    changes += decisions.map { .decide($0, number: $1) } + [broker.narrowingMark()]
    let resting = broker.sessions.sessions(of: app.identifier).filter { $0.ownAccessor == old }
    for session in resting { broker.delegate?.closeSession(session) }
    broker.store.keep(changes) { failure in
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
    let role: DecisionRole = isAdministrator ? .administrator : .user
    let records =
      libraries.isEmpty
      ? [
        record(Decider(uid: uid, role: role, origin: origin, source: isAdministrator ? .administrator : .settings), nil)
      ]
      : libraries.map { record(decider(in: $0), $0.record.name) }
    guard records.contains(where: { $0.role == .user }) else { return records }
    return app.noteReplacement(at: broker.environment.monotonic) ? records : records.filter { $0.role != .user }
  }
}
