package import Catalogue
import Limits
import Macaroons
import PhotoModel

extension Session {
  /// Opens a picker for the library's owners. It needs no authorization, and asks for none (R72).
  ///
  /// - Parameters:
  ///   - waits: called once the picker waits for a person.
  ///   - completion: fails with `operationInterrupted` when the app, the library, the
  ///   connection or its token ends.
  /// - Throws: `tokenRequired` without an introduction; `tokenRefused` for a token attenuated to
  ///   less than picking from this library; `identifierNotFound` for a library that is not offered;
  ///   `limitExceeded` if the process has an open picker, too many are open, or the person
  ///   dismissed several; `changeNotSupported` for a contradictory configuration.
  package func presentPicker(
    _ configuration: PickerConfiguration, library name: LibraryName?, waits: (WaitingNotice) -> Void = { _ in },
    completion: @escaping Completion<PickerOutcome>
  ) throws(BrokerError) {
    let app = try requireApp()
    let library = try library(name)
    guard mayOpenPicker(of: library) else { throw .beyondToken() }
    try configuration.check()
    guard !broker.pickers.waiting.contains(where: { $0.session.identity.processID == identity.processID }) else {
      throw .photos(.limitExceeded, "This process has a picker open already; wait for its answer.")
    }
    guard broker.pickers.waiting.count(where: { $0.library === library }) < BrokerLimits.pickersPerLibrary,
      broker.pickers.waiting.count(where: { $0.session.identity.uid == identity.uid }) < BrokerLimits.pickersPerUser
    else { throw .photos(.limitExceeded, "Too many pickers wait for a person; try again later.") }
    try broker.promptService.requirePatience(.picker, library.record.name, app.record)
    let seals = try library.seals[app.identifier]
    var preselected: [(given: AssetIdentifier, number: AssetNumber)] = []
    for given in configuration.preselected {
      guard let position = library.catalogue.position(of: try seals.open(given)) else { continue }
      let row = library.catalogue.row(position)
      if library.isPickable(row) { preselected.append((given, row.number)) }
    }
    let request = PickerRequest(
      identifier: broker.newIdentifier(), app: app, library: library, configuration: configuration,
      asked: broker.environment.now,
      preselected: preselected, session: self, completion: completion)
    broker.pickers.insert(request)
    broker.delegate?.promptsChanged(owners: library.owners)
    waits(broker.waitingNotice(to: library.owners))
  }

  /// Whether the connection is the app itself, or holds enough of its access now.
  func mayOpenPicker(of library: LibraryState) -> Bool { isAppItself || mayPick(from: library) }

  /// A person picks for the app whose name is shown. A holder of only a part of its access, or of a
  /// child token, is not that app.
  private func mayPick(from library: LibraryState) -> Bool {
    attachments.contains { attachment in
      attachment.library === library && !attachment.isPartial && !attachment.isChild
        && attachment.isCurrent(broker.environment)
        && attachment.verbs.intersection(.allowed(at: attachment.grant.record.key.level)).contains(.pick)
    }
  }

  /// Binds a picked photo to the version of its file; no other version is loaded.
  package func pin(_ item: AppIdentifier, to contentVersion: String) {
    for pick in broker.pickers.picks(of: self) {
      if let number = pick.asset(item) { return pick.pin(number, to: contentVersion) }
    }
  }

  /// The asset of a picked item, the picked version of its file, and the permit for its bytes.
  /// - Throws: `identifierNotFound` for an item that was not picked on this connection, has expired
  ///   or was revoked.
  package func picked(_ item: AppIdentifier) throws(BrokerError) -> (
    row: AssetRow, contentVersion: String?, permit: Permit
  ) {
    for pick in broker.pickers.picks(of: self) {
      guard let number = pick.asset(item) else { continue }
      let permit = Permit(session: self, attachment: pick.attachment, verbs: .read)
      guard broker.mayRelease(permit), let row = pick.attachment.library.catalogue.row(of: number),
        pick.attachment.library.isPickable(row)
      else { break }
      return (row, pick.versions[number], permit)
    }
    throw .photos(
      .identifierNotFound,
      "No such item was picked on this connection, or it expired or was taken back; open the picker again.")
  }
}

extension LibraryState {
  /// Whether a person may pick an asset: all but never-shared, trashed and missing ones.
  package func isPickable(_ row: AssetRow) -> Bool {
    row.flags.isDisjoint(with: [.neverShare, .trashed, .missing])
  }
}
