import Catalogue
import PhotoModel

/// Undo of added libraries, registered apps and minted tokens.
extension AdminDecisions {
  /// Removes an added library again, unless it is in use.
  func undoAdding(
    _ number: UInt64, _ library: LibraryState, _ completion: @escaping Completion<UndoOutcome>
  ) throws(BrokerError) {
    let name = library.record.name
    let hanging = whatHangs(on: library)
    guard hanging.isEmpty else { throw .hasUses(number, hanging, "remove the library, which erases all of that") }
    let entered = DecisionNumber()
    let decision = DecisionRecord(
      time: broker.environment.now, by: caller.decider(in: library, source: .undo), action: "undo", library: name,
      before: "owner \(library.record.owner)", after: "", undoes: number)
    caller.libraries.remove(library, Receipt(), keeping: .decide(decision, number: entered)) {
      completion(
        $0.map { _ in
          var outcome = UndoOutcome(entered)
          outcome.removedLibrary = name
          return outcome
        })
    }
  }

  private func whatHangs(on library: LibraryState) -> [Reason] {
    let name = library.record.name
    let marked = [AssetFlags.hidden, .neverShare, .trashed, .favourite].contains { mark in
      var query = Query()
      query.withFlags = mark
      return library.catalogue.count(query, in: .owner) > 0
    }
    let uses: [(Bool, Reason)] = [
      (!broker.grants(in: name).isEmpty, Reason(.accessDecided, "access to it was decided")),
      (broker.prompts.all.contains { $0.record.key.library == name }, Reason(.appAsks, "an app asks for it")),
      (!broker.rules.rules(of: name).isEmpty, Reason(.hasRules, "it has rules")),
      (!library.configuration.planned.coOwners.isEmpty, Reason(.hasCoOwners, "it has co-owners")),
      (!library.albums.isEmpty, Reason(.hasAlbums, "it has albums")),
      (!library.assets.creators.isEmpty, Reason(.appsAdded, "apps added to it")),
      (!library.pickerUses.isEmpty, Reason(.pickersGave, "apps were given photos of it by pickers")),
      (marked, Reason(.photosMarked, "photos in it were marked or deleted")),
    ]
    return uses.filter(\.0).map(\.1)
  }

  /// Removes a registered app again, unless it is in use.
  func undoRegistering(
    _ number: UInt64, _ record: DecisionRecord, in library: LibraryState,
    _ completion: @escaping Completion<UndoOutcome>
  ) throws(BrokerError) {
    guard let identifier = record.app, let app = broker.apps[identifier] else {
      throw .refused(.appErased, "The app was removed already; there is nothing to undo.")
    }
    // A forgotten grant counts too if another owner still knows the app by it.
    let isDecided = broker.grants[app: identifier].contains {
      $0.record.status != .notDetermined || $0.isNoted && !caller.isOwn($0)
    }
    let uses: [(Bool, Reason)] = [
      (isDecided, Reason(.accessDecided, "its access was decided")),
      (broker.prompts.all.contains { $0.record.key.app == identifier }, Reason(.appAsks, "it asks for access")),
      (broker.sessions.count(of: identifier) > 0, Reason(.appRuns, "it runs")),
      (broker.appRegistrar.wasGiven(identifier), Reason(.pickersGave, "pickers gave it photos")),
    ]
    let hanging = uses.filter(\.0).map(\.1)
    guard hanging.isEmpty else { throw .hasUses(number, hanging, "remove the app, which ends all of that") }
    let entered = DecisionNumber()
    let decision = DecisionRecord(
      time: broker.environment.now, by: caller.decider(in: library, source: .undo), action: "undo",
      library: library.record.name,
      app: identifier, before: record.after, after: "", undoes: number)
    caller.apps.removeAltogether(app, keeping: .decide(decision, number: entered)) {
      completion($0.map { _ in UndoOutcome(entered) })
    }
  }

  /// Invalidates a minted token. The grant stays, and the app gets a new token when it asks.
  func undoMinting(
    _ number: UInt64, _ record: DecisionRecord, _ accessor: Accessor, in library: LibraryState,
    _ completion: @escaping Completion<UndoOutcome>
  ) throws(BrokerError) {
    if let token = broker.tokens[accessor], token.child != nil, !token.isRevoked {
      return broker.childTokens.revoke(token, by: caller.decider(in: library, source: .undo), undoing: number) {
        completion($0.map { UndoOutcome(receipt: $0) })
      }
    }
    guard let key = record.key, let grant = broker.grants[key], grant.record.accessor == accessor else {
      throw .refused(.tokenOver, "The token is refused already; there is nothing to undo.")
    }
    let fresh = broker.newAccessor()
    let edit = GrantEdit(decider: caller.decider(in: library, source: .undo), action: "undo", undoes: number) {
      $0.accessor = fresh
    } completion: { [self] in
      caller.grants.finish($0) { completion($0.map { UndoOutcome(grant: $0.0, receipt: $0.1) }) }
    }
    broker.editor.submit(edit, on: grant, in: library)
  }
}

extension BrokerError {
  /// - Parameter instead: the remedy, for the message.
  fileprivate static func hasUses(_ number: UInt64, _ uses: [Reason], _ instead: String) -> Self {
    let why = uses.map(\.text).joined(separator: ", ")
    return Self(
      .refused, .hasUses,
      "Decision \(number) cannot be undone any more, because since then \(why). To do so all the same, \(instead).",
      parts: uses)
  }
}
