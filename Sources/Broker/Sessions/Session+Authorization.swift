import Macaroons
package import PhotoModel

extension Session {
  /// The app's status at one level. Opens no prompt and changes nothing (R6, R7).
  /// - Throws: `identifierNotFound` for a library that does not exist for this user.
  package func status(_ level: AccessLevel, library name: LibraryName? = nil) throws(BrokerError) -> AuthorizationStatus
  {
    let library = try library(name, level: level)
    guard let app, !app.isRemoved else { return .notDetermined }
    let key = GrantKey(library: library.record.name, app: app.identifier, level: level)
    return broker.grants[key]?.status(broker.environment) ?? .notDetermined
  }

  /// Asks for access at one level. A person is asked only while nobody has decided; otherwise the
  /// stored decision is the answer (R15, R16). A granted token is attached before `completion` is
  /// called (R123).
  ///
  /// - Parameters:
  ///   - wait: false: fails with `promptPending` at once instead of waiting for the person.
  ///   - waits: called once the request waits for a person.
  /// - Throws (by `completion`): `usageDescriptionMissing` (close the connection); `promptPending`;
  ///   `limitExceeded` during a pause after denials or dismissals, or with too many prompts;
  ///   `changeNotSupported` for adding alone to a storage that takes no additions; `tokenRequired`;
  ///   `identifierNotFound`.
  package func requestAuthorization(
    level: AccessLevel, library name: LibraryName? = nil, wait: Bool = true,
    waits: (WaitingNotice) -> Void = { _ in },
    completion: @escaping Completion<Authorization>
  ) {
    attempt(completion) { () throws(BrokerError) in
      let app = try requireApp()
      let library = try library(name, level: level)
      let key = GrantKey(library: library.record.name, app: app.identifier, level: level)
      try requireDescription(app, key)
      if let grant = broker.grants[key] { broker.expiry.endIfOver(grant) }
      guard (broker.grants[key]?.status(broker.environment) ?? .notDetermined) == .notDetermined else {
        return completion(authorization(key, app, library))
      }
      guard isAppItself else { throw .tokenRequired() }
      let prompt = try broker.promptService.ask(.authorization, key, app, library)
      // A rule answers without a person, so there is nothing to wait for.
      guard wait || prompt.rule != nil else { throw .promptPending() }
      try broker.promptService.wait(for: prompt, self) { [self] in
        completion(isClosed ? .failure(.tokenRequired()) : answer(key, app, library))
      }
      if prompt.rule == nil { waits(broker.waitingNotice(to: prompt.owners)) }
    }
  }

  /// The decision after a prompt's end, or the reason why the request is not possible any more.
  private func answer(_ key: GrantKey, _ app: App, _ library: LibraryState) -> Result<Authorization, BrokerError> {
    do throws(BrokerError) {
      guard library.isOffered(to: identity.uid) else { throw .noSuchLibrary() }
      try requireDescription(app, key)
      // An app whose prompt was withdrawn because it kept changing its words learns when it may ask
      // again.
      if (broker.grants[key]?.status(broker.environment) ?? .notDetermined) == .notDetermined {
        try broker.promptService.requirePatience(.changedWords, key.library, app.record)
        guard key.level != .addOnly || !library.refusedByStorage.contains(.add) else { throw .takesNoAdditions() }
      }
      return authorization(key, app, library)
    } catch {
      return .failure(error)
    }
  }

  /// The stored decision, and the token if this connection may have it. A holder of an attenuated
  /// token does not get the whole one.
  private func authorization(_ key: GrantKey, _ app: App, _ library: LibraryState) -> Result<Authorization, BrokerError>
  {
    guard let grant = broker.grants[key], !grant.isRemoved else {
      return .success(Authorization(status: .notDetermined, token: nil))
    }
    let status = grant.status(broker.environment)
    let mayHold =
      isAppItself || attachments.contains { $0.grant === grant && $0.isWhole && $0.isCurrent(broker.environment) }
    guard status.grantsAccess, mayHold else { return .success(Authorization(status: status, token: nil)) }
    do throws(BrokerError) {
      let token = try broker.tokens.accessToken(of: grant.record, uid: app.record.uid, library: library.record)
      add(
        Attachment(
          accessor: grant.record.accessor, grant: grant, library: library, isWhole: true))
      return .success(Authorization(status: status, token: token))
    } catch {
      return .failure(error)
    }
  }

  /// Describes the app's access at one level. Opens no prompt.
  package func describeAccess(_ level: AccessLevel, library name: LibraryName? = nil) throws(BrokerError)
    -> AccessDescription
  {
    let library = try library(name, level: level)
    let environment = broker.environment
    let key = app.map { GrantKey(library: library.record.name, app: $0.identifier, level: level) }
    guard let grant = key.flatMap({ broker.grants[$0] }), grant.record.status != .notDetermined else {
      return AccessDescription(
        library: library.record.name, level: level, status: .notDetermined, visible: 0, expires: nil, isPaused: false,
        albumPolicy: "none",
        verbs: [], withheld: [], pixels: nil, tokenExpires: nil)
    }
    let attached = attachments.last { $0.grant === grant && $0.isCurrent(environment) }
    attached?.follow()
    let usable = grant.isInForce(environment) ? attached : nil
    let withheld =
      grant.record.status.grantsAccess ? (usable?.withheld ?? grant.record.termsInForce.withheld) : []
    return AccessDescription(
      library: library.record.name, level: level, status: grant.status(environment),
      visible: usable.map {
        $0.verbs.contains(.read) ? library.assets.visibleCount(grant, subset: $0.attenuation?.selection) : 0
      } ?? 0,
      expires: grant.record.expires, isPaused: grant.record.isPaused,
      albumPolicy: level == .addOnly ? "none" : grant.record.policyInForce,
      verbs: usable.map {
        $0.verbs.intersection(.allowed(at: level)).subtracting(library.record.appsDelete ? [] : .delete)
          .subtracting(grant.record.terms.forbiddenVerbs)
          .subtracting(library.refusedByStorage)
      } ?? [],
      withheld: withheld, pixels: withheld.contains(.files) ? usable?.pixels ?? grant.record.terms.pixels : nil,
      tokenExpires: usable?.end?.time, uses: usable?.rest(.uses), bytes: usable?.rest(.bytes))
  }
}

extension BrokerError {
  static func promptPending() -> Self {
    Self(.promptPending, "A person has been asked and has not answered; ask again later, or wait for the answer.")
  }
}
