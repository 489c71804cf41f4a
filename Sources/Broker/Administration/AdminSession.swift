import Catalogue
import PhotoModel

/// One connection of an owner or an administrator. Objects outside the caller's reach are answered
/// like missing ones.
package final class AdminSession {
  /// The kernel's credential of the peer.
  package let uid: UInt32
  /// The program at the other end, as far as it is known, for the record of decisions.
  package let origin: String
  /// Whether decisions are recorded as those of a rule that the caller made.
  package let actsByRule: Bool
  let broker: Broker

  init(uid: UInt32, origin: String, actsByRule: Bool, broker: Broker) {
    self.uid = uid
    self.origin = origin
    self.actsByRule = actsByRule
    self.broker = broker
  }

  /// Whether the caller is root or was named by root (R130).
  package var isAdministrator: Bool { broker.administrators.contains(uid) }

  /// Whether the caller is an owner or co-owner (R126).
  package func owns(_ library: LibraryState) -> Bool { library.isOwner(uid) }

  /// Whether the caller may extend access there: owners, and administrators whom the owner allows
  /// to decide (R130).
  package func decides(in library: LibraryState) -> Bool { broker.administrators.decides(uid, in: library) }

  /// Whether the caller may see photos, names, dates and places there: owners, and administrators
  /// whom the owner allows to see (R130).
  package func sees(_ library: LibraryState) -> Bool {
    owns(library) || isAdministrator && library.record.administratorsSee
  }

  // MARK: Rooms

  package var rules: AdminRules { AdminRules(caller: self) }
  package var tokens: AdminTokens { AdminTokens(caller: self) }
  package var marks: AdminMarks { AdminMarks(caller: self) }
  package var assets: AdminAssets { AdminAssets(caller: self) }
  package var albums: AdminAlbums { AdminAlbums(caller: self) }
  package var decisions: AdminDecisions { AdminDecisions(caller: self) }
  package var grants: AdminGrants { AdminGrants(caller: self) }
  package var batch: AdminBatch { AdminBatch(caller: self) }
  package var prompts: AdminPrompts { AdminPrompts(caller: self) }
  package var pickers: AdminPickers { AdminPickers(caller: self) }
  package var deletions: AdminDeletions { AdminDeletions(caller: self) }
  package var apps: AdminApps { AdminApps(caller: self) }
  package var administrators: AdminAdministrators { AdminAdministrators(caller: self) }
  package var rights: AdminRights { AdminRights(caller: self) }
  package var libraries: AdminLibraries { AdminLibraries(caller: self) }
  package var offers: AdminOffers { AdminOffers(caller: self) }
  package var selections: AdminSelections { AdminSelections(caller: self) }

  // MARK: Reach

  /// A library of the caller's, or any library for an administrator.
  /// - Throws: `notFound`, the same for a missing library and for another owner's.
  package func library(_ name: LibraryName) throws(BrokerError) -> LibraryState {
    guard let library = broker.libraries[name], owns(library) || isAdministrator else { throw .unknownLibrary() }
    return library
  }

  /// A library that the caller owns.
  /// - Throws: `notFound`; `notPermitted` to an administrator, who may know that the library
  ///   exists.
  package func ownedLibrary(_ name: LibraryName) throws(BrokerError) -> LibraryState {
    let library = try library(name)
    guard owns(library) else { throw .ownersOnly() }
    return library
  }

  /// A library whose photos the caller may see.
  /// - Throws: `notFound`; `notPermitted` to an administrator whom the owner does not allow to see.
  package func seenLibrary(_ name: LibraryName) throws(BrokerError) -> LibraryState {
    let library = try library(name)
    guard sees(library) else { throw .unseen() }
    return library
  }

  /// A library whose selections the caller may edit, which takes the rights to see and to decide.
  /// - Throws: `notFound`; `notPermitted` to an administrator who lacks one of these rights.
  package func editableLibrary(_ name: LibraryName) throws(BrokerError) -> LibraryState {
    let library = try seenLibrary(name)
    guard decides(in: library) else { throw .ownersOnly() }
    return library
  }

  /// An app that the caller may know of: see ``AdminApps/list``.
  /// - Throws: `notFound`.
  package func app(_ identifier: AppIdentifier) throws(BrokerError) -> App {
    guard let app = broker.apps[identifier], knows(app) else { throw .unknownApp() }
    return app
  }

  /// An app that the caller may decide about: one in ``AdminApps/list``, or one whose identifier the caller
  /// has and to whose user the library is offered.
  func app(_ identifier: AppIdentifier, for library: LibraryState) throws(BrokerError) -> App {
    guard let app = broker.apps[identifier], knows(app) || library.isOffered(to: app.record.uid) else {
      throw .unknownApp()
    }
    return app
  }

  func knows(_ app: App) -> Bool {
    if isAdministrator || app.record.uid == uid || app.record.registrar == uid { return true }
    let picks =
      libraries.list.contains { $0.pickerUses[app.identifier] != nil } || pickers.waiting.contains { $0.app === app }
    if picks { return true }
    return broker.grants[app: app.identifier].contains {
      ($0.record.status != .notDetermined || $0.isNoted || !$0.edits.isEmpty) && isOwn($0)
    }
      || broker.prompts.all.contains { $0.record.key.app == app.identifier && owns($0.library) }
  }

  func isOwn(_ grant: GrantState) -> Bool { broker.libraries[grant.record.key.library].map(owns) ?? false }

  /// The caller's role in a library, as it is recorded.
  /// - Parameter source: the origin of the decision; replaced by `administrator` for an
  ///   administrator.
  func decider(in library: LibraryState, source: DecisionSource = .settings) -> Decider {
    let isOwner = owns(library)
    let role: DecisionRole = actsByRule ? .rule : isOwner ? .owner : isAdministrator ? .administrator : .user
    return Decider(
      uid: uid, role: role, origin: origin, source: role == .administrator && source != .undo ? .administrator : source)
  }

  // MARK: Seeing

  /// Number of open connections of apps that the caller knows of and of the caller's own programs.
  /// An administrator gets the number of all.
  package var connections: Int {
    var known: [AppIdentifier: Bool] = [:]
    func isKnown(_ app: App) -> Bool {
      let answer = known[app.identifier] ?? knows(app)
      known[app.identifier] = answer
      return answer
    }
    return broker.sessions.all.count { isAdministrator || $0.identity.uid == uid || $0.app.map(isKnown) ?? false }
  }

  func reaches(_ grant: GrantState) -> Bool {
    broker.libraries[grant.record.key.library].map { owns($0) || isAdministrator } ?? false
  }

  func view(_ grant: GrantState) -> GrantView? {
    guard let app = broker.apps[grant.record.key.app], let library = broker.libraries[grant.record.key.library] else {
      return nil
    }
    let status = grant.status(broker.environment)
    return GrantView(
      record: grant.record, status: status, app: app.record,
      selected: status == .limited ? library.catalogue.count(of: grant.selection) : 0,
      visible: broker.view(of: grant).map { library.catalogue.count(in: $0) } ?? 0,
      allowance: broker.allowances.allowance(of: grant, in: library),
      showsConditions: sees(library), albumTitle: grant.record.live?.album.flatMap { library.albums[$0]?.title },
      isResting: !library.isOffered(to: app.record.uid))
  }
}

extension Broker {
  /// Opens the session of an owner or an administrator who connected.
  package func openAdministration(uid: UInt32, origin: String, actsByRule: Bool = false) -> AdminSession {
    AdminSession(uid: uid, origin: origin, actsByRule: actsByRule, broker: self)
  }
}

extension BrokerError {
  static func unknownLibrary() -> Self {
    .notFound("library", "No library of that name is yours; list the libraries to see their names.")
  }
  static func unknownApp() -> Self {
    .notFound("app", "No such app is known to you; list the apps to see their names.")
  }
  static func unknownGrant() -> Self {
    .notFound("grant", "There is no decision on this app here; list the grants to see those that there are.")
  }
  static func noAccess(_ status: AuthorizationStatus) -> Self {
    .refused(
      .noAccess,
      "The app's access is “\(status.ownersWords)”, so nothing of it can be set; give access first.",
      ["status": status.name])
  }
  static func unknownPrompt() -> Self {
    .notFound("prompt", "No such request waits for you: it was answered or withdrawn. List the requests that wait.")
  }
  static func unknownToken() -> Self {
    .notFound("token", "No such token is known to you; list the tokens to see their accessors.")
  }
  static func unseen() -> Self {
    .notPermitted(
      .administratorsBlind,
      "An administrator sees no photo, name, date or place of a library; its owner can allow that (library delegate).")
  }
  static func ownersOnly() -> Self {
    .notPermitted(.ownersOnly, "Only the library's owner may do this; an administrator can block, pause and revoke.")
  }
}

/// The methods of one topic.
protocol AdminPart {
  var caller: AdminSession { get }
}

extension AdminPart {
  var broker: Broker { caller.broker }
}
