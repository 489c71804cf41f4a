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

extension AdminGrants {
  /// Ends access given by pickers to assets that were not loaded yet.
  func endPicks(in scope: RevocationScope) -> NarrowingEffect {
    broker.pickerService.endPicks { key in
      (broker.libraries[key.library].map { caller.owns($0) || caller.isAdministrator } ?? false)
        && (scope.library == nil || key.library == scope.library) && (scope.app == nil || key.app == scope.app)
        && scope.level != .addOnly && (scope.uid == nil || broker.apps[key.app]?.record.uid == scope.uid)
    }
  }

  /// Ends access at once and for good: `denied` by an owner, `restricted` by an administrator (R4).
  /// Every grant has ended when this returns; `completion` is called when that is stored.
  /// - Throws (by `completion`): `notFound` for a library or an app outside the caller's reach;
  ///   `refused` for an empty scope without `everything`; `failed`.
  package func revoke(_ scope: RevocationScope, completion: @escaping Completion<Receipt>) {
    attempt(completion) { () throws(BrokerError) in
      let found = try grants(in: scope)
      let effect = endPicks(in: scope)
      let helpers = childTokens(in: scope)
      let gathered = CompletionGroup<Receipt>(count: helpers.count + 1) { result in
        completion(result.map { $0.reduce(Receipt(effect: effect), +) })
      }
      for (token, decider) in helpers { broker.childTokens.revoke(token, by: decider) { gathered.take($0) } }
      revoke(found, recipients: recipients(in: scope)) { gathered.take($0) }
    }
  }

  /// Child tokens for the scope's user, of other users' apps.
  private func childTokens(in scope: RevocationScope) -> [(TokenRecord, Decider)] {
    guard let uid = scope.uid else { return [] }
    return broker.tokens.all.compactMap { token in
      guard !token.isRevoked, token.child?.uid == uid, let key = token.grant, broker.apps[key.app]?.record.uid != uid,
        let library = broker.libraries[key.library], caller.owns(library) || caller.isAdministrator,
        scope.library == nil || key.library == scope.library, scope.app == nil || key.app == scope.app,
        scope.level == nil || key.level == scope.level
      else { return nil }
      return (token, caller.decider(in: library))
    }
  }

  /// Grants of a scope that give access, or are about to, and that the caller may revoke.
  func grants(in scope: RevocationScope) throws(BrokerError) -> [GrantState] {
    guard !scope.isEmpty || scope.everything else {
      throw .refused(.revokeWhat, "Name a library, an app, a user, a level or a token, or choose everything.")
    }
    if let name = scope.library { _ = try caller.library(name) }
    if let identifier = scope.app {
      if let name = scope.library {
        _ = try caller.app(identifier, for: caller.library(name))
      } else {
        _ = try caller.app(identifier)
      }
    }
    return broker.grants.giving { grant in
      let key = grant.record.key
      return caller.reaches(grant)
        && (scope.library == nil || key.library == scope.library) && (scope.app == nil || key.app == scope.app)
        && (scope.level == nil || key.level == scope.level)
        && (scope.uid == nil || broker.apps[key.app]?.record.uid == scope.uid)
    }
  }

  /// Apps of a scope that may have received assets, in libraries whose deliveries the caller may see.
  private func recipients(in scope: RevocationScope) -> [GrantKey] {
    guard scope.level != .addOnly else { return [] }
    return broker.libraries.values.filter {
      (caller.owns($0) || caller.isAdministrator) && (scope.library == nil || $0.record.name == scope.library)
    }
    .flatMap { library in
      let apps = scope.app.map { [$0] } ?? broker.recipients(in: library)
      return apps.filter { scope.uid == nil || broker.apps[$0]?.record.uid == scope.uid }
        .map { GrantKey(library: library.record.name, app: $0, level: .readWrite) }
    }
  }

  func revoke(_ grants: [GrantState], recipients: [GrantKey] = [], completion: @escaping Completion<Receipt>) {
    submit(to: grants, action: "revoke", recipients: recipients, completion: completion) { grant in
      let isOwner = broker.libraries[grant.record.key.library].map(caller.owns) ?? false
      let settings = GrantSettings(status: isOwner ? .denied : .restricted)
      let fresh = broker.newAccessor()
      return { settings.apply(to: &$0, by: isOwner ? .owner : .administrator, accessor: fresh, hasEnded: false) }
    }
  }
}
