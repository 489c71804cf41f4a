package import Catalogue
import Limits
import PhotoModel

/// The effect of an edit of a selection.
package struct SelectionOutcome {
  package var added: [AssetNumber]
  package var removed: [AssetNumber]
  /// The number of assets in the resulting selection.
  package var selected: Int
  package var receipt: Receipt
}

/// A change of the conditions of a selection.
package enum LiveChange: Sendable, Equatable {
  /// Assets join and leave by these conditions from now on. Those that fit now replace the selection.
  case begin(LiveSelection)
  /// The selection stays as it is, and people alone edit it.
  case end
}

/// The selections of the grants in the caller's libraries.
package struct AdminSelections: AdminPart {
  let caller: AdminSession

  /// Adds assets to one of the caller's drafts for
  /// ``edit(library:app:adding:removing:drafts:preview:completion:)``. Nobody else is
  /// told.
  ///
  /// - Parameter draft: the draft to extend; nil begins a new one.
  /// - Returns: the draft's name, and the number of assets in it.
  /// - Throws: `notFound`; `notPermitted` to an administrator who may not see the library.
  package func draft(
    library name: LibraryName, _ selection: Selection, to draft: AppIdentifier?
  ) throws(BrokerError) -> (draft: AppIdentifier, count: Int) {
    let library = try caller.editableLibrary(name)
    return try add(selection, to: draft, among: &library.selections.drafts, of: library, Self.noDraft)
  }

  /// The assets that an edit of the app's selection removes from; nil: it has no grant.
  package func selection(of app: AppIdentifier, in library: LibraryState) -> Selection? {
    broker.grants[GrantKey(library: library.record.name, app: app, level: .readWrite)]?.planned
  }

  private static let noDraft = BrokerError.notFound(
    "draft", "There is no such draft for this library; begin one with DraftSelection.")

  /// Edits the selection of a limited grant; removing wins over adding. Completes after the commit
  /// (R51). An edit without effect is not recorded, and no app is told.
  /// - Parameter drafts: drafts of the caller's to add and to remove as well. A successful edit
  ///   deletes them.
  /// - Parameter live: Nil: a live selection stays live. People then take assets out, and put back
  ///   what they took out.
  /// - Parameter preview: computes the outcome and changes nothing.
  /// - Throws (by `completion`): `notFound`; `notPermitted` to an administrator who may not see the
  ///   library; `refused` for a grant that is not limited; `failed`.
  package func edit(
    library name: LibraryName, app identifier: AppIdentifier, adding: Selection?, removing: Selection?,
    drafts: (adding: AppIdentifier?, removing: AppIdentifier?) = (nil, nil), live: LiveChange? = nil,
    preview: Bool = false,
    completion: @escaping Completion<SelectionOutcome>
  ) {
    attempt(completion) { () throws(BrokerError) in
      let library = try caller.editableLibrary(name)
      _ = try caller.app(identifier, for: library)
      guard let grant = broker.grants[GrantKey(library: name, app: identifier, level: .readWrite)],
        grant.record.status != .notDetermined
      else { throw .unknownGrant() }
      guard grant.record.status == .limited else {
        throw .refused(
          .noSelection,
          "The access is “\(grant.record.status.ownersWords)”, so there is no selection to edit; set it to selected "
            + "photos first.",
          ["status": grant.record.status.name])
      }
      var adding =
        try union(adding, drafts.adding, among: library.selections.drafts, of: library, Self.noDraft)
        ?? library.catalogue.emptySelection()
      var removing =
        try union(removing, drafts.removing, among: library.selections.drafts, of: library, Self.noDraft)
        ?? library.catalogue.emptySelection()
      let change = try change(live, grant, library, adding: &adding, removing: &removing)
      if preview { return completion(.success(self.preview(grant, library, adding, removing))) }
      let edit = GrantEdit(
        decider: caller.decider(in: library), action: "select", selection: .edit(adding: adding, removing: removing),
        change: change ?? { _ in }
      ) { [self] in
        if case .success = $0 {
          for draft in [drafts.adding, drafts.removing].compactMap({ $0 }) {
            library.selections.drafts[draft, by: caller.uid] = nil
          }
        }
        finish($0, in: library, completion)
      }
      edit.isOfSelectionOnly = change == nil
      broker.editor.submit(edit, on: grant, in: library)
    }
  }

  /// The change of the record that goes along with an edit. Nil: none.
  private func change(
    _ live: LiveChange?, _ grant: GrantState, _ library: LibraryState, adding: inout Selection,
    removing: inout Selection
  ) throws(BrokerError) -> ((inout GrantRecord) -> Void)? {
    let catalogue = library.catalogue
    switch (live, grant.record.live) {
    case (.begin(var live), _):
      live.exclude(catalogue.numbers(in: catalogue.intersection(adding, removing)))
      // Other conditions bring back nothing that people took out.
      live.exclude(grant.record.live?.excluded ?? [])
      guard live.excluded.count <= BrokerLimits.liveExclusions else { throw Self.tooManyTakenOut() }
      adding = catalogue.difference(adding, catalogue.selection(of: live.excluded))
      adding = catalogue.difference(catalogue.union(adding, library.selections.own(of: grant)), removing)
      removing = catalogue.union(removing, catalogue.difference(grant.planned, adding))
      return { [live] in $0.live = live }
    case (.end, .some): return { $0.live = nil }
    case (nil, let live?): return try adjust(live, of: grant, in: library, adding: &adding, removing: removing)
    case (_, nil): return nil
    }
  }

  /// Checks an edit by hand of a live selection, which can only take photos out and put them back.
  ///
  /// - Parameter adding: afterwards what fits now, whatever its folder.
  /// - Returns: the change of the record; nil if there is none.
  func adjust(
    _ live: LiveSelection, of grant: GrantState, in library: LibraryState, adding: inout Selection,
    removing: Selection
  ) throws(BrokerError) -> ((inout GrantRecord) -> Void)? {
    let catalogue = library.catalogue
    let out = catalogue.selection(of: live.excluded)
    guard catalogue.count(of: catalogue.difference(catalogue.difference(adding, grant.planned), out)) == 0 else {
      throw .refused(
        .selectionIsLive,
        "The selection is live: photos join it by its conditions, and only photos that were taken out can be put "
          + "back. To choose by hand, end it with photobroker grant select --not-live.")
    }
    let back = catalogue.numbers(in: catalogue.difference(catalogue.intersection(adding, out), removing))
    // Removing all visible assets also removes the missing ones.
    let isAll = catalogue.count(of: catalogue.difference(grant.planned, removing)) == 0
    let taken = catalogue.numbers(
      in: isAll ? grant.planned : catalogue.intersection(grant.planned, removing), withMissing: true)
    guard live.excluded.count - back.count + taken.count <= BrokerLimits.liveExclusions else {
      throw Self.tooManyTakenOut()
    }
    adding = catalogue.intersection(adding, library.live.met(live))
    guard !back.isEmpty || !taken.isEmpty else { return nil }
    return {
      $0.live?.exclude(taken)
      $0.live?.include(back)
    }
  }

  private static func tooManyTakenOut() -> BrokerError {
    .refused(
      "At most \(BrokerLimits.liveExclusions) photos can be taken out of a live selection; use narrower conditions.")
  }

  private func finish(
    _ result: Result<GrantOutcome, BrokerError>, in library: LibraryState,
    _ completion: @escaping Completion<SelectionOutcome>
  ) {
    result.orFail(completion) { outcome in
      let catalogue = library.catalogue
      let selection = SelectionOutcome(
        added: catalogue.numbers(in: outcome.added), removed: catalogue.numbers(in: outcome.removed),
        selected: catalogue.count(of: outcome.grant.selection), receipt: Receipt())
      broker.receipt(
        for: outcome.narrowed ? [outcome.grant.record.key] : [], effect: outcome.effect,
        decisions: [outcome.decision].compactMap { $0 }
      ) { receipt in
        var selection = selection
        selection.receipt = receipt
        completion(.success(selection))
      }
    }
  }

  private func preview(
    _ grant: GrantState, _ library: LibraryState, _ adding: Selection, _ removing: Selection
  ) -> SelectionOutcome {
    let catalogue = library.catalogue
    let added = library.assets.selectable(catalogue.difference(catalogue.difference(adding, removing), grant.planned))
    let removed = catalogue.numbers(in: catalogue.intersection(removing, grant.planned))
    return SelectionOutcome(
      added: added, removed: removed, selected: catalogue.count(of: grant.planned) + added.count - removed.count,
      receipt: Receipt())
  }

  func add(
    _ selection: Selection, to draft: AppIdentifier?, among drafts: inout SelectionDrafts, of library: LibraryState,
    _ missing: BrokerError
  ) throws(BrokerError) -> (draft: AppIdentifier, count: Int) {
    guard let draft else {
      let begun = broker.newIdentifier()
      drafts.begin(begun, by: caller.uid, selection)
      return (begun, library.catalogue.count(of: selection))
    }
    guard let known = drafts[draft, by: caller.uid] else { throw missing }
    let longer = library.catalogue.union(known, selection)
    drafts[draft, by: caller.uid] = longer
    return (draft, library.catalogue.count(of: longer))
  }

  func union(
    _ selection: Selection?, _ draft: AppIdentifier?, among drafts: SelectionDrafts, of library: LibraryState,
    _ missing: BrokerError
  ) throws(BrokerError) -> Selection? {
    guard let draft else { return selection }
    guard let drafted = drafts[draft, by: caller.uid] else { throw missing }
    return selection.map { library.catalogue.union($0, drafted) } ?? drafted
  }
}
