import Catalogue
import Limits
import Macaroons
import PhotoModel
import Proofs

extension Session {
  /// The purpose of an attached token.
  package struct Attached {
    package let app: AppIdentifier
    /// Nil: the app's own token.
    package let grant: GrantKey?
  }

  /// Registers the app of this connection, or updates its manifest.
  ///
  /// A process that lost its token is recognized as its app if the system vouches for it (R123);
  /// otherwise it is a new app (R138). Each user's introductions are queued, with a few commits at
  /// a time.
  ///
  /// - Throws (by `completion`): `refused` for a manifest that violates ``ManifestRules``, or that
  ///   names another app than the connection's; `limitExceeded`; `failed`.
  package func introduce(_ manifest: Manifest, completion: @escaping Completion<Introduction>) {
    do throws(BrokerError) {
      try ManifestRules.check(manifest)
      if let known = try known(as: manifest), known.record.manifest == manifest {
        return completion(identify(as: known))
      }
    } catch {
      return completion(.failure(error))
    }
    // Checked again in `write`: another connection may introduce the same app while this one is
    // queued.
    let turn = FairQueue.Turn(user: identity.uid) { [self] done in
      write(manifest) { result in
        completion(result)
        done()
      }
    }
    introduction = turn
    broker.introductions.take(turn)
  }

  private func write(_ manifest: Manifest, completion: @escaping Completion<Introduction>) {
    attempt(completion) { () throws(BrokerError) in
      if let known = try known(as: manifest) {
        broker.appRegistrar.update(known, manifest: manifest) { [self] result in
          completion(result.flatMap { identify(as: $0) })
        }
      } else {
        try broker.appRegistrar.register(manifest, identity) { [self] result in
          completion(result.flatMap { identify(as: $0) })
        }
      }
    }
  }

  /// The app that introduces itself, if it is known.
  /// - Throws: `refused` on another app's connection, `tokenRequired` if the connection is not the
  ///   app itself.
  private func known(as manifest: Manifest) throws(BrokerError) -> App? {
    guard let app, !app.isRemoved else { return broker.apps.restorable(manifest, identity) }
    guard isAppItself else { throw .tokenRequired() }
    guard app.record.manifest.identifier == manifest.identifier else {
      throw .refused("This connection is another app's already; introduce this one on a connection of its own.")
    }
    return app
  }

  private func identify(as known: App) -> Result<Introduction, BrokerError> {
    guard !isClosed, app == nil || app === known else { return .failure(.tokenRequired()) }
    become(known)
    ownAccessor = known.record.accessor
    do throws(BrokerError) {
      return .success(Introduction(app: known, token: try broker.tokens.ownToken(of: known.record)))
    } catch {
      return .failure(error)
    }
  }

  /// Binds a token to this connection.
  /// - Throws: `tokenRefused` for every unusable token, with a reason for an authentic one that is
  ///   revoked, expired or of another user.
  package func attach(_ token: String) throws(BrokerError) -> Attached {
    guard !isClosed else { throw .tokenRefused() }
    let checked = try broker.tokens.check(token) { broker.libraries[$0]?.record }
    let restrictions = checked.restrictions
    guard
      let holder = broker.apps[checked.record.app], app == nil || app === holder,
      restrictions.app == nil || restrictions.app == holder.identifier.description
    else { throw .tokenRefused() }
    guard
      (checked.record.child?.uid ?? holder.record.uid) == identity.uid || Proof.userOfToken.isMade,
      restrictions.uid == nil || restrictions.uid == identity.uid
    else { throw .tokenOfOtherUser() }
    guard !checked.record.isRevoked else { throw .tokenRevoked() }
    let expires = restrictions.before.map { Timestamp(seconds: $0) ?? Timestamp(microseconds: .max) }
    if let expires, broker.clock.read() >= expires { throw .tokenExpired() }
    if let key = checked.record.grant {
      try attach(checked, key: key, expires: expires)
    } else {
      // An attenuation of the app's own token proves less than its identity.
      guard restrictions.library == nil, restrictions.level == nil, restrictions.attenuation.isEmpty,
        checked.budgets.isEmpty
      else { throw .tokenRefused() }
      ownAccessor = checked.record.accessor
    }
    become(holder)
    return Attached(app: holder.identifier, grant: checked.record.grant)
  }

  private func attach(
    _ checked: TokenAuthority.Checked, key: GrantKey, expires: Timestamp?
  ) throws(BrokerError) {
    let (restrictions, record) = (checked.restrictions, checked.record)
    guard
      let grant = broker.grants[key],
      let app = broker.apps[key.app], let library = broker.libraries[key.library], isOffered(library, app),
      restrictions.library == nil || restrictions.library == key.library.description,
      restrictions.level == nil || restrictions.level?.rawValue == key.level.rawValue
    else { throw .tokenRefused() }
    guard grant.record.accessor == record.grantAccessor else { throw .tokenRevoked() }
    guard !grant.hasEnded(broker.environment) else { throw .tokenExpired() }
    let environment = broker.environment
    let attenuation = try library.attenuation(by: restrictions, of: grant)
    let budgets = checked.budgets.map { broker.budgets.account(of: $0, record.accessor) }
    let end = expires.map {
      TokenEnd(time: $0, deadline: environment.monotonic + $0.distance(from: broker.clock.read()))
    }
    add(
      Attachment(
        accessor: record.accessor, grantAccessor: record.grantAccessor, grant: grant, library: library,
        verbs: restrictions.verbs, attenuation: attenuation, withheld: restrictions.withheld, budgets: budgets,
        end: end, restrictions: restrictions,
        isWhole: record.child == nil && restrictions.attenuation.isEmpty && budgets.isEmpty))
  }

  /// Adds a token, replacing the earlier one of the same grant.
  func add(_ attachment: Attachment) {
    attachments.removeAll { $0.grant === attachment.grant || $0.grant.isRemoved }
    attachments.append(attachment)
    if attachment.isChild { childAccessors.insert(attachment.accessor) }
    if attachments.count > BrokerLimits.attachments { attachments.removeFirst() }
  }

  private func become(_ app: App) {
    guard self.app !== app else { return }
    self.app = app
    broker.sessions.identify(self, as: app.identifier)
    guard !hasOutlivedProcess else { return }
    let isNews = broker.lifeCycles.begin(
      app.identifier, process: identity.processID, identity: identity.processIdentity)
    if isNews { broker.promptService.keepLifeCycles() }
  }
}

extension Timestamp {
  /// The distance from an earlier point; saturates.
  func distance(from start: Timestamp) -> Duration {
    let (span, overflow) = microseconds.subtractingReportingOverflow(start.microseconds)
    return .microseconds(overflow ? (self < start ? .min / 4 : .max / 4) : max(.min / 4, min(span, .max / 4)))
  }
}
