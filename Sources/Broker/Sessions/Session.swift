package import PhotoModel

/// One connection of a client, with its peer and its attached tokens. Connections share nothing,
/// not even those of one process.
package final class Session {
  /// The kernel's credentials at accept; they never change.
  package let identity: VerifiedIdentity
  let broker: Broker
  /// The app that was introduced or whose token was attached.
  package internal(set) var app: App?
  /// The accessor of the app's own token, if the connection proved to be the app itself. A holder
  /// of an attenuated token does not have it.
  var ownAccessor: Accessor?
  var attachments: [Attachment] = []
  /// Child tokens that were attached, also those that others replaced: their streams may still run.
  var childAccessors: Set<Accessor> = []
  package private(set) var isClosed = false
  /// The latest introduction, while it is queued.
  weak var introduction: FairQueue.Turn?
  /// Whether its process has ended while calls that it sent are still queued.
  package private(set) var hasOutlivedProcess = false

  init(identity: VerifiedIdentity, broker: Broker) {
    self.identity = identity
    self.broker = broker
  }

  /// Notes that the process has ended. Its queued calls are carried out, but begin no life cycle of
  /// an app, because nothing would end it.
  package func outliveProcess() { hasOutlivedProcess = true }

  /// Closes the session with its connection. Call ``Broker/processEnded(_:)`` separately when the
  /// process ends.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    broker.prompts.stopWaiting(self)
    broker.pickerService.close(of: self)
    broker.deletionService.close(of: self)
    if let introduction { broker.introductions.drop(introduction) }
    attachments = []
    broker.sessions.remove(self)
  }

  // MARK: Library and app

  /// Libraries that are offered to this user; others do not exist (R127).
  package var libraries: [LibraryName] {
    broker.libraries.values.filter { $0.isOffered(to: identity.uid) }.map(\.record.name).sorted()
  }

  /// The library with a name, or the default library.
  ///
  /// The default is the library of the latest attached token of the level. Without one, it is the
  /// only library that the user owns, or, for a user who owns none, the only accepted one. Among
  /// several, it is the only one with access for the app, paused or not, else the only one in which
  /// the user decides.
  /// - Throws: `identifierNotFound` if the library is not offered to this user, or if there is no
  ///   default.
  package func library(_ name: LibraryName?, level: AccessLevel? = nil) throws(BrokerError) -> LibraryState {
    if let name {
      guard let library = broker.libraries[name], library.isOffered(to: identity.uid) else { throw .noSuchLibrary() }
      return library
    }
    if let attached = attachments.last(where: { level == nil || $0.grant.record.key.level == level }),
      !attached.grant.isRemoved, attached.library.isOffered(to: identity.uid)
    {
      return attached.library
    }
    let offered = broker.libraries.values.filter { $0.isOffered(to: identity.uid) }
    guard let first = offered.min(by: { $0.record.name < $1.record.name }) else { throw .noSuchLibrary() }
    // Only owned or accepted libraries count: any user may offer a library, allow an app there and
    // invite co-owners. A mere offer must not direct an app, and its new photos, to another user's
    // library.
    let owned = offered.filter { $0.record.owner == identity.uid }
    let taken = owned.isEmpty ? offered.filter { $0.answer(of: identity.uid, as: .user) == .accepted } : owned
    guard !taken.isEmpty else { throw .notAccepted(first.record) }
    if taken.count == 1 { return taken[0] }
    for isPreferred in [isGranted, isOwn] {
      let preferred = taken.filter(isPreferred)
      if preferred.count == 1 { return preferred[0] }
    }
    throw .photos(
      .identifierNotFound,
      "Several libraries are offered to this user; name one that ListLibraries answers, or attach a token of one.")
  }

  /// Whether a library is offered to the app's user, and to the user of this connection, who is
  /// another one for some child tokens.
  func isOffered(_ library: LibraryState, _ app: App) -> Bool {
    library.isOffered(to: identity.uid) && (app.record.uid == identity.uid || library.isOffered(to: app.record.uid))
  }

  private func isGranted(_ library: LibraryState) -> Bool {
    guard let app else { return false }
    return broker.grants[app: app.identifier].contains {
      $0.record.key.library == library.record.name && $0.record.status.grantsAccess
    }
  }

  private func isOwn(_ library: LibraryState) -> Bool { library.isOwner(identity.uid) }

  func requireApp() throws(BrokerError) -> App {
    guard let app, !app.isRemoved, !isClosed else {
      throw BrokerError(
        .tokenRequired, "The app at this connection is unknown; call Introduce once, or Attach the app's token.")
    }
    return app
  }

  var isAppItself: Bool { app.map { $0.record.accessor == ownAccessor } ?? false }

  /// - Throws: `usageDescriptionMissing` if the manifest gives no reason for the level (R31), after
  ///   recording that.
  func requireDescription(_ app: App, _ key: GrantKey) throws(BrokerError) {
    guard app.describes(key.level) else { throw broker.appRegistrar.noteMissingDescription(app, key) }
  }
}

extension BrokerError {
  /// The error for a missing library and for one that is offered only to others, without
  /// distinction.
  static func noSuchLibrary() -> Self {
    photos(
      .identifierNotFound, "No library of that name is offered to this user; ListLibraries answers those that are.")
  }

  /// The error if no library was named and the user has accepted none of the offered ones.
  static func notAccepted(_ library: LibraryRecord) -> Self {
    photos(
      .identifierNotFound,
      "User \(library.owner) offers the library \(library.name), which this user has not accepted; accept it "
        + "(photobroker library accept \(library.name)), or name it.")
  }
}
