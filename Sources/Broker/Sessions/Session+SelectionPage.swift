package import Catalogue
import Macaroons
import PhotoModel

extension Session {
  /// Opens the selection page for a limited app. Completes after the person's answer is in force,
  /// with the newly selected and visible assets, and without kept or removed ones (R62 to R64). A
  /// cancelled page gives none. The page is withdrawn with its token, or with the last of several.
  ///
  /// - Throws (by `completion`): `notLimited` if there is no selection to choose (R65);
  ///   `promptPending` if no program of an owner can show the page: the prompt stays;
  ///   `tokenRefused` for a token that is attenuated to some photos or has ended; errors of
  ///   ``authorize(_:level:library:)``.
  package func presentLimitedLibraryPicker(
    library name: LibraryName? = nil, completion: @escaping Completion<(Permit, [AssetNumber])>
  ) {
    attempt(completion) { () throws(BrokerError) in
      let app = try requireApp()
      let status = try status(.readWrite, library: name)
      guard status == .limited else { throw .notLimited(status) }
      let permit = try authorize(.pick, level: .readWrite, library: name)
      guard mayOpenPicker(of: permit.library) else { throw .beyondToken() }
      let grant = permit.grant
      let before = grant.selection
      let prompt = try broker.promptService.ask(
        .selection, grant.record.key, app, permit.library, under: permit.attachment)
      let notice = broker.waitingNotice(to: prompt.owners)
      guard notice.isShown else { throw .nothingShowsPage(to: notice.owners) }
      try broker.promptService.wait(for: prompt, self) { [self] in
        let status = grant.status(broker.environment)
        guard status == .limited else { return completion(.failure(.notLimited(status))) }
        attempt(completion) { () throws(BrokerError) in
          let permit = try authorize(.pick, level: .readWrite, library: grant.record.key.library)
          completion(.success((permit, newlyVisible(since: before, permit))))
        }
      }
    }
  }

  private func newlyVisible(since before: Selection, _ permit: Permit) -> [AssetNumber] {
    guard let view = permit.view, permit.attachment.verbs.contains(.read) else { return [] }
    let catalogue = permit.library.catalogue
    return catalogue.numbers(in: catalogue.difference(permit.grant.selection, before)).filter { number in
      catalogue.position(of: number).map { catalogue.isVisible($0, in: view) } ?? false
    }
  }
}

extension BrokerError {
  static func nothingShowsPage(to owners: [String]) -> Self {
    Self(
      .promptPending,
      "Nothing can show the selection page: no program of \(owners.joined(separator: " or ")) that shows requests is "
        + "connected. The request waits, and is answered with photobroker open or photobroker request list. An "
        + "observer is told of the new selection."
    )
  }

  static func notLimited(_ status: AuthorizationStatus) -> Self {
    Self(
      .notLimited(status: status.name),
      "There is no selection to change, because the access is \(status.name); the selection page is for limited access."
    )
  }
}
