import Broker
import BrokerInterface
import Catalogue
import Delivery
import PhotoModel
import Varlink

extension AdminMethods {
  static let selections: [Method] = [
    Method(Admin.DraftSelection.self, .administration(draftSelection)),
    Method(Admin.EditSelection.self, .administration(editSelection)),
    Method(Admin.FetchOwnedAssets.self, .administration(fetchOwnedAssets)),
    Method(Admin.MarkAssets.self, .administration(markAssets)),
    Method(Admin.FetchTrashedAssets.self, .administration(fetchTrashedAssets)),
    Method(Admin.RestoreAssets.self, .administration(restoreAssets)),
  ]

  private static let sampleSize = 50

  private static func draftSelection(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.DraftSelection.Parameters = try call.parameters()
    let name = try AdminParameters.library(parameters.library)
    let library = try decide(session.editableLibrary(name))
    let draft = try draft(parameters.draft)
    // A draft may also be deselected later. If it is added instead, assets that may not be added
    // are left out then.
    resolve(parameters.selector, in: library, for: .takingAway, call) { selection in
      call.attempt { () throws(CallFailure) in
        guard let selection else { throw .invalid("selector") }
        let drafted = try decide(session.draftSelection(library: name, selection, to: draft))
        call.reply(Admin.DraftSelection.Reply(draft: drafted.draft.description, drafted: Int64(drafted.count)))
      }
    }
  }

  private static func draft(_ text: String?) throws(CallFailure) -> AppIdentifier? {
    guard let text else { return nil }
    guard let draft = AppIdentifier(text) else {
      throw .broker(
        .notFound("draft", "There is no such draft for this library; begin one with DraftSelection."))
    }
    return draft
  }

  private static func editSelection(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.EditSelection.Parameters = try call.parameters()
    let name = try AdminParameters.library(parameters.library)
    let app = try AdminParameters.app(parameters.app)
    let library = try decide(session.editableLibrary(name))
    let drafts = (adding: try draft(parameters.addDraft), removing: try draft(parameters.removeDraft))
    resolve(parameters.add, in: library, call) { add in
      resolve(parameters.remove, in: library, for: .takingAway, call) { remove in
        let isPreview = parameters.preview ?? false
        func edit(preview: Bool, _ completion: @escaping (Result<SelectionOutcome, BrokerError>) -> Void) {
          session.editSelection(
            library: name, app: app, adding: add, removing: remove, drafts: drafts,
            namesRemoved: parameters.remove?.identifiers != nil,
            preview: preview, completion: completion)
        }
        let answered = { (result: Result<SelectionOutcome, BrokerError>) in
          switch result {
          case .failure(let error): call.fail(error)
          case .success(let outcome):
            // The editor's rights may have ended before the disk has the edit.
            let shown = session.sees(library) ? [outcome.added, outcome.removed] : []
            let sample = shown.flatMap { library.catalogue.latest(sampleSize, of: $0) }.prefix(sampleSize)
            call.reply(
              Admin.EditSelection.Reply(
                added: Int64(outcome.added.count), removed: Int64(outcome.removed.count),
                selected: Int64(outcome.selected),
                sample: sample.map { AdminRecords.asset($0, path: nil, in: library) },
                receipt: Admin.Receipt(outcome.receipt),
                decisions: outcome.receipt.entered,
                outcome: isPreview ? ShownOutcome.name(added: outcome.added, removed: outcome.removed) : nil))
          }
        }
        guard !isPreview, let shown = parameters.outcome else { return edit(preview: isPreview, answered) }
        // A preview completes synchronously, so nothing can change between it and the edit that
        // follows.
        edit(preview: true) { result in
          switch result {
          case .success(let outcome) where shown == ShownOutcome.name(added: outcome.added, removed: outcome.removed):
            edit(preview: false, answered)
          case .success: call.fail(.outcomeChanged())
          case .failure(let error): call.fail(error)
          }
        }
      }
    }
  }

  /// Resolves a selector to a selection; nil if there is no selector. Answers the call itself if
  /// that fails.
  static func resolve(
    _ selector: Admin.Selector?, in library: LibraryState, for purpose: SelectorPurpose = .giving, _ call: IncomingCall,
    _ body: @escaping (Selection?) -> Void
  ) {
    guard let selector else { return body(nil) }
    choose(selector, in: library, for: purpose, call) { choice in
      lookUp(choice, in: library, call) {
        choice.selection(in: $0)
      } then: {
        body($0)
      }
    }
  }

  private static func choose(
    _ selector: Admin.Selector, in library: LibraryState, for purpose: SelectorPurpose, _ call: IncomingCall,
    _ body: @escaping (OwnerChoice) -> Void
  ) {
    SelectorResolver.resolve(selector, in: library, core: call.core, for: purpose) { result in
      guard !call.isClosed else { return }
      switch result {
      case .failure(let failure): call.fail(failure)
      case .success(let choice): body(choice)
      }
    }
  }

  private static func lookUp<R: Sendable>(
    _ choice: OwnerChoice, in library: LibraryState, _ call: IncomingCall, _ body: @escaping @Sendable (Catalogue) -> R,
    then: @escaping (R) -> Void
  ) {
    call.core.runtime(library).queries.lookUp(effort: choice.effort(in: library.catalogue), body) { result in
      guard !call.isClosed else { return }
      switch result {
      case .failure(let error): call.fail(error)
      case .success(let found): then(found)
      }
    }
  }

  private static func fetchOwnedAssets(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.FetchOwnedAssets.Parameters = try call.parameters()
    let name = try AdminParameters.library(parameters.library)
    let library = try decide(session.seenLibrary(name))
    let (skip, limit) = (Int(parameters.skip ?? 0), Int(parameters.limit ?? 100))
    let purpose = try purpose(parameters.purpose)
    var selected: Selection?
    if let text = parameters.app {
      guard let identifier = AppIdentifier(text) else {
        throw .broker(.notFound("app", "No such app is known to you; list the apps."))
      }
      let app = try decide(session.app(identifier))
      let key = GrantKey(library: name, app: app.identifier, level: .readWrite)
      selected = call.core.broker.grant(key)?.selection ?? library.catalogue.emptySelection()
    }
    if let creators = try apps(parameters.addedBy, claiming: parameters.addedByIdentifier, call) {
      let added = library.assets(createdBy: creators)
      selected = selected.map { library.catalogue.intersection($0, added) } ?? added
    }
    var everything = Admin.Selector()
    everything.all = true
    let filter = selected
    var view = View.owner
    if let text = parameters.seenBy {
      guard let sight = try AppSight.find(text, in: library, call, session) else {
        return show(OwnedPage(rows: [], total: 0), in: library, call, session)
      }
      view = sight.view
    }
    let seen = view
    choose(parameters.selector ?? everything, in: library, for: purpose, call) { choice in
      let isNamed = parameters.selector != nil && parameters.purpose == "selection"
      lookUp(choice, in: library, call) { catalogue in
        let page = choice.page(in: catalogue, view: seen, filter: filter, skip: skip, limit: limit)
        return (page, isNamed ? ShownOutcome.name(added: catalogue.numbers(in: choice.selection(in: catalogue))) : nil)
      } then: { page, outcome in
        show(page, outcome: outcome, in: library, call, session)
      }
    }
  }

  private static func purpose(_ name: String?) throws(CallFailure) -> SelectorPurpose {
    switch name {
    case nil: .marking
    case "selection": .giving
    case "picker": .picking
    default: throw .invalid("purpose")
    }
  }

  /// Answers with the assets and the paths that the store has for them, if the caller may still see
  /// them.
  /// - Parameter outcome: Names all chosen assets.
  static func show(
    _ page: OwnedPage, outcome: String? = nil, in library: LibraryState, _ call: IncomingCall, _ session: AdminSession
  ) {
    let waiting = WaitingPaths(page.rows.count) { paths in
      guard !call.isClosed else { return }
      // The caller's rights may have ended meanwhile.
      guard session.sees(library) else { return call.fail(AdminParameters.noLibrary()) }
      let assets = page.rows.map { AdminRecords.asset($0, path: paths[$0.number], in: library) }
      call.reply(
        Admin.FetchOwnedAssets.Reply(
          assets: Array(assets.prefix(ListPage.fitting(assets))), total: Int64(page.total), outcome: outcome))
    }
    let carried = Box(waiting)
    for row in page.rows {
      call.core.store.asset(row.number, of: library.record.name) { result in
        carried.value.take(row.number, (try? result.get())?.resources.first?.locator)
      }
    }
  }

  private static func markAssets(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.MarkAssets.Parameters = try call.parameters()
    let name = try AdminParameters.library(parameters.library)
    let library = try decide(session.ownedLibrary(name))
    resolve(parameters.selector, in: library, for: .marking, call) { chosen in
      guard let chosen else { return }
      session.mark(
        library: name, chosen, favourite: parameters.favorite, hidden: parameters.hidden,
        neverShare: parameters.neverShare
      ) { result in
        switch result {
        case .failure(let error): call.fail(error)
        case .success(let outcome):
          call.reply(
            Admin.MarkAssets.Reply(
              changed: Int64(outcome.changed), revision: library.revision,
              decisions: outcome.decisions.map { Int64(clamping: $0) }))
        }
      }
    }
  }
}
