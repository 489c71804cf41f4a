package import Macaroons
package import PhotoModel
import Proofs

extension Session {
  /// Authorizes a call by the attached token and the grant's present state. It runs for every call,
  /// computes no MAC and asks no person.
  ///
  /// - Parameters:
  ///   - verbs: the verbs of the call; all must be allowed.
  ///   - level: the level of the app's grant. Nil: `readWrite`. For `add` alone, the attached level
  ///     in force, `addOnly` first. If neither is in force, `addOnly`, or `readWrite` for an app
  ///     that gives a reason for that alone.
  ///   - name: nil: as ``library(_:level:)`` finds it.
  /// - Throws: `promptNeeded` without a decision: call
  ///   ``requestAuthorization(level:library:wait:completion:)``, then retry (R19). `tokenRequired`,
  ///   `tokenRefused`, `usageDescriptionMissing`; `accessUserDenied` and `accessRestricted` of
  ///   PhotoKit.
  package func authorize(_ verbs: Verbs, level: AccessLevel? = nil, library name: LibraryName? = nil)
    throws(BrokerError)
    -> Permit
  {
    let level = level ?? defaultLevel(for: verbs, library: name)
    // No decision at this level could allow these verbs, so no prompt is needed.
    guard Verbs.allowed(at: level).isSuperset(of: verbs) || Proof.levelOfGrant.isMade else { throw .beyondLevel() }
    guard let attachment = attachment(level: level, library: name) else {
      throw refusalWithoutToken(level: level, library: name)
    }
    let grant = attachment.grant
    guard let app, !app.isRemoved, !isClosed, !grant.isRemoved,
      isOffered(attachment.library, app) || Proof.offerOfLibrary.isMade
    else {
      throw .tokenRefused()
    }
    try requireDescription(app, grant.record.key)
    if !Proof.grantAtAdmission.isMade { try requireForce(grant) }
    guard verbs.isDisjoint(with: grant.record.terms.forbiddenVerbs) else {
      throw grant.record.terms.changes ? .deletesNothing() : .readOnly()
    }
    if let fault = attachment.fault(broker.environment) { throw fault }
    guard attachment.verbs.isSuperset(of: verbs) || Proof.verbsOfToken.isMade else { throw .beyondToken() }
    return Permit(session: self, attachment: attachment, verbs: verbs)
  }

  /// The latest attached token for a level.
  func attachment(level: AccessLevel, library name: LibraryName?) -> Attachment? {
    for attachment in attachments.reversed()
    where attachment.grant.record.key.level == level && (name == nil || attachment.grant.record.key.library == name) {
      return attachment
    }
    return nil
  }

  /// - Throws: the reason why the grant gives no access now.
  func requireForce(_ grant: GrantState) throws(BrokerError) {
    switch grant.status(broker.environment) {
    case .authorized, .limited:
      guard grant.record.isPaused else { return }
      let advice = "Access is paused; it comes back when it is resumed, without another request."
      throw .photos(grant.record.pausedBy == .administrator ? .accessRestricted : .accessUserDenied, advice)
    case .denied:
      throw .photos(
        .accessUserDenied,
        "The owner of the library said no; they can give access in their settings.")
    case .restricted:
      throw .photos(.accessRestricted, "An administrator forbids this access; no request can change that.")
    case .notDetermined:
      guard isAppItself else { throw .tokenRequired() }
      throw .promptNeeded(grant.record.key)
    }
  }

  private func defaultLevel(for verbs: Verbs, library: LibraryName?) -> AccessLevel {
    guard verbs == .add else { return .readWrite }
    let adding = attachment(level: .addOnly, library: library)?.grant
    let reading = attachment(level: .readWrite, library: library)?.grant
    if let adding, adding.isInForce(broker.environment) { return .addOnly }
    if let reading, reading.isInForce(broker.environment) { return .readWrite }
    // If neither is in force, the error is about the one that is meant for adding.
    guard adding == nil else { return .addOnly }
    // A paused grant may be resumed, so no prompt for another one is opened meanwhile.
    if let reading, reading.status(broker.environment).grantsAccess { return .readWrite }
    guard let app, !app.describes(.addOnly), app.describes(.readWrite) else { return .addOnly }
    return .readWrite
  }

  private func refusalWithoutToken(level: AccessLevel, library name: LibraryName?) -> BrokerError {
    do throws(BrokerError) {
      let app = try requireApp()
      // An app that reads in one library means that one: its new assets must not end up in another.
      let reading = level == .addOnly ? attachment(level: .readWrite, library: nil)?.library.record.name : nil
      let library = try library(name ?? reading, level: level)
      let key = GrantKey(library: library.record.name, app: app.identifier, level: level)
      try requireDescription(app, key)
      guard isAppItself else { return .tokenRequired() }
      guard let grant = broker.grants[key] else { return .promptNeeded(key) }
      try requireForce(grant)
      return .tokenRequired()
    } catch {
      return error
    }
  }
}

extension Verbs {
  /// The verbs that a level allows: an `addOnly` grant reads nothing (R11, R122).
  package static func allowed(at level: AccessLevel) -> Verbs {
    level == .addOnly ? .add : .all
  }
}

extension BrokerError {
  static func promptNeeded(_ key: GrantKey) -> Self {
    Self(.promptNeeded(key), "Nobody has decided on this access yet; call RequestAuthorization.")
  }

  static func tokenRequired() -> Self {
    Self(
      .tokenRequired, "No token for this access is attached; Attach it, or call RequestAuthorization to be given it.")
  }

  private static let refusal =
    "The token is not valid here and now; call RequestAuthorization with the app's own token for a new one. If that "
    + "is refused too, the app was forgotten: introduce it anew."

  /// The error for every token that is not authentic, or whose library or app the caller may not know.
  static func tokenRefused() -> Self { Self(.tokenRefused, refusal) }

  // Only the holder of an authentic token gets a reason.
  static func tokenRevoked() -> Self { Self(.tokenRefused, .tokenRevoked, refusal) }
  static func tokenOfOtherUser() -> Self { Self(.tokenRefused, .tokenOfOtherUser, refusal) }
  static func tokenExpired() -> Self {
    Self(.tokenRefused, .tokenExpired, "The token has expired; ask its maker for another.")
  }

  static func beyondLevel() -> Self {
    photos(.accessUserDenied, "This access can only add; request readWrite authorization for everything else.")
  }

  static func readOnly() -> Self {
    photos(.accessUserDenied, "This access can see, not change: the library's owner can allow changes.")
  }

  static func deletesNothing() -> Self {
    photos(.accessUserDenied, "This access can delete no photos: the library's owner can allow it.")
  }

  static func beyondToken() -> Self {
    Self(.tokenRefused, "The attached token has restrictions that forbid this call; attach one without them.")
  }
}
