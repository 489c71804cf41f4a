package import PhotoModel

/// One connection of a client: who is at its other end, and which tokens it attached. Nothing of it
/// is shared with other connections, not even of the same process.
package final class Session {
  /// As the kernel vouched for it at accept; never changes.
  package let identity: VerifiedIdentity
  let broker: Broker
  /// The app that this connection was introduced or attached as.
  package internal(set) var app: App?
  /// The accessor of the app's own token, where the connection proved to be the app itself and not just a holder of a
  /// token that the app may have narrowed for it.
  var ownAccessor: Accessor?
  /// The latest last.
  var attachments: [Attachment] = []
  package private(set) var isClosed = false
  /// Whether its process has ended, while something that this sent before waits to be carried out.
  package private(set) var hasOutlivedProcess = false

  init(identity: VerifiedIdentity, broker: Broker) {
    self.identity = identity
    self.broker = broker
  }

  /// Its process has ended. What it sent before is carried out; it begins no life cycle of an app,
  /// since nothing would end that.
  package func outliveProcess() { hasOutlivedProcess = true }

  /// The connection is gone. Call ``Broker/processEnded(_:)`` apart, when its process has ended.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    broker.prompts.stopWaiting(self)
    broker.closePickers(of: self)
    broker.introductions.drop(self, of: identity.uid)
    attachments = []
    broker.sessions.remove(self)
  }

  // MARK: Which library, which app

  /// Libraries that are offered to this user; any other does not exist (R127).
  package var libraries: [LibraryName] {
    broker.libraries.values.filter { $0.isOffered(to: identity.uid) }.map(\.record.name).sorted()
  }

  /// The library of that name. Nil: that of the latest attached token of the level, else the only
  /// one that the user owns, or that who owns none accepted; of several such the only one in which
  /// the app was granted something, paused or not, else the only one in which the user decides.
  /// - Throws: `identifierNotFound` where it is not offered to this user, or where nothing was
  ///   named and several are, or none was accepted.
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
    // Anybody may offer another one, allow an app what it never asked for there, and make others
    // its owners: nothing of that must take an app to their library, neither from its user's own
    // nor where the user has none. What an app saves would lie with them.
    let owned = offered.filter { $0.record.owner == identity.uid }
    let taken = owned.isEmpty ? offered.filter { $0.isTaken(by: identity.uid) } : owned
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
        .tokenRequired, "Nobody is known to be at this connection; call Introduce once, or Attach the app's token.")
    }
    return app
  }

  /// Whether the connection proved to be the app itself.
  var isAppItself: Bool { app.map { $0.record.accessor == ownAccessor } ?? false }

  /// - Throws: `usageDescriptionMissing` where the manifest gives no reason for the level (R31), after noting that.
  func requireDescription(_ app: App, _ key: GrantKey) throws(BrokerError) {
    guard app.describes(key.level) else { throw broker.noteMissingDescription(app, key) }
  }
}

extension LibraryRecord {
  /// The owner always, and whom the owner offered it to and who declined neither it nor, as
  /// `decliners` do, whatever its owner offers.
  func isOffered(to uid: UInt32, declining decliners: Set<UInt32>) -> Bool {
    uid == owner || offeredTo.contains(uid) && !declinedBy.contains(uid) && !decliners.contains(uid)
  }
}

extension BrokerError {
  /// The one answer for a library that is not there and for one that is offered to others.
  static func noSuchLibrary() -> Self {
    photos(
      .identifierNotFound, "No library of that name is offered to this user; ListLibraries answers those that are.")
  }

  /// Nothing was named, and this is one of those that the app's user has not said yes to.
  static func notAccepted(_ library: LibraryRecord) -> Self {
    photos(
      .identifierNotFound,
      "User \(library.owner) offers the library \(library.name), which this user has not accepted; accept it (photobroker library accept "
        + "\(library.name)), or name it.")
  }
}
