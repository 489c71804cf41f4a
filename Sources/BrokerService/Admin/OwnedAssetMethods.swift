import Broker
import BrokerInterface
import Catalogue
import Limits
import PhotoModel
import Varlink

/// Owners' lists of assets, their marks and their trash.
struct OwnedAssetMethods {
  let broker: Broker
  let store: any Store
  let runtimes: LibraryRuntimes
  let selectors: SelectorResolver

  @MethodRows var methods: [Method] {
    Method(Admin.FetchOwnedAssets.self, .administration(fetchOwnedAssets))
    Method(Admin.MarkAssets.self, .administration(markAssets))
    Method(Admin.FetchTrashedAssets.self, .administration(fetchTrashedAssets))
    Method(Admin.EditAsset.self, .administration(editAsset))
    Method(Admin.ResetAssets.self, .administration(resetAssets))
    Method(Admin.RestoreAssets.self, .administration(restoreAssets))
  }

  private func fetchOwnedAssets(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.FetchOwnedAssets.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.library, session.seenLibrary)
    let (skip, limit) = (Int(parameters.skip ?? 0), Int(parameters.limit ?? 100))
    let purpose = try purpose(parameters.purpose)
    var selected: Selection?
    if let text = parameters.app {
      guard let identifier = AppIdentifier(text) else {
        throw .notFound("app", "No such app is known to you; list the apps.")
      }
      let app = try decide(session.app(identifier))
      let key = GrantKey(library: library.record.name, app: app.identifier, level: .readWrite)
      selected = broker.grant(key)?.selection ?? library.catalogue.emptySelection()
    }
    let (adder, claimed) = (parameters.addedBy, parameters.addedByIdentifier)
    if let creators = try AdminParameters.apps(adder, claiming: claimed, in: broker) {
      let added = library.assets.created(by: creators)
      selected = selected.map { library.catalogue.intersection($0, added) } ?? added
    }
    var everything = Admin.Selector()
    everything.all = true
    let filter = selected
    var view = View.owner
    if let text = parameters.seenBy {
      guard let appView = try AppView.find(text, in: library, call, session) else {
        return show(OwnedPage(rows: [], total: 0), in: library, call, session)
      }
      view = appView.view
    }
    let seen = view
    let isNamed = parameters.selector != nil && parameters.purpose == "selection"
    selectors.lookUp(parameters.selector ?? everything, in: library, for: purpose, call) { catalogue, choice in
      let page = choice.page(in: catalogue, view: seen, filter: filter, skip: skip, limit: limit)
      return (page, isNamed ? ShownOutcome.name(added: catalogue.numbers(in: choice.selection(in: catalogue))) : nil)
    } then: { page, outcome in
      show(page, outcome: outcome, in: library, call, session)
    }
  }

  private func purpose(_ name: String?) throws(CallFailure) -> SelectorPurpose {
    switch name {
    case nil: .marking
    case "selection": .giving
    case "picker": .picking
    case let name?: throw .invalid("purpose", name, allowed: ["selection", "picker"])
    }
  }

  /// Answers with the assets and the files that the store has for them, if the caller may still see
  /// them.
  /// - Parameter outcome: Names all chosen assets.
  private func show(
    _ page: OwnedPage, outcome: String? = nil, in library: LibraryState, _ call: IncomingCall, _ session: AdminSession
  ) {
    store.assets(of: library.record.name, in: AssetScope(assets: Set(page.rows.map(\.number)))) { result in
      guard !call.isClosed else { return }
      // The caller's rights may have ended meanwhile.
      guard session.sees(library) else { return call.fail(AdminParameters.noLibrary()) }
      let found = ((try? result.get()) ?? []).map { ($0.row.number, $0.resources) }
      let files = Dictionary(found) { first, _ in first }
      let assets = page.rows.map { AdminRecords.asset($0, files: files[$0.number] ?? [], in: library) }
      call.reply(
        Admin.FetchOwnedAssets.Reply(
          assets: Array(assets.prefix(ListPage.fitting(assets))), total: Int64(page.total), outcome: outcome))
    }
  }

  private func markAssets(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.MarkAssets.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.library, session.ownedLibrary)
    try selectors.resolve(parameters.selector, in: library, for: .marking, call) { chosen in
      guard let chosen else { return }
      session.marks.set(
        library: library.record.name, chosen, favourite: parameters.favorite, hidden: parameters.hidden,
        neverShare: parameters.neverShare,
        completion: call.replying { outcome in
          Admin.MarkAssets.Reply(
            changed: Int64(outcome.changed), revision: library.changes.revision,
            decisions: outcome.decisions.map { Int64(clamping: $0) })
        })
    }
  }

  private func fetchTrashedAssets(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.FetchTrashedAssets.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.library, session.seenLibrary)
    let rows = library.trash.rows()
    let page = rows.dropFirst(Int(parameters.skip ?? 0)).prefix(Int(parameters.limit ?? 100))
    show(OwnedPage(rows: Array(page), total: rows.count), in: library, call, session)
  }

  private func editAsset(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.EditAsset.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.library, session.ownedLibrary)
    let number = try number(parameters.asset, in: library)
    var location: GeoPoint??
    if let place = parameters.location {
      guard let point = GeoPoint(latitude: place.latitude, longitude: place.longitude) else {
        throw .invalid("location", CallFailure.coordinates)
      }
      location = .some(point)
    }
    if parameters.removesLocation == true {
      guard location == nil else {
        throw .invalid("removesLocation", "a location is given too; leave one of them out")
      }
      location = .some(nil)
    }
    let edit = AssetEdit(
      caption: parameters.caption, creationDate: parameters.creationDate.map { Timestamp(microseconds: $0) },
      location: location)
    session.assets.edit(
      number, of: library.record.name, edit,
      completion: call.replying { Admin.EditAsset.Reply(decisions: $0.map { Int64(clamping: $0) }) })
  }

  /// The number of an asset that is neither deleted nor missing.
  private func number(_ text: String, in library: LibraryState) throws(CallFailure) -> AssetNumber {
    guard let row = try AdminParameters.row(of: text, in: library), row.flags.isDisjoint(with: [.trashed, .missing])
    else { throw AdminParameters.noAsset() }
    return row.number
  }

  private func resetAssets(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ResetAssets.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.library, session.ownedLibrary)
    try CallFailure.check(parameters.identifiers, has: 1...ServiceLimits.identifiers, "identifiers")
    var numbers: Set<AssetNumber> = []
    for text in parameters.identifiers { numbers.insert(try number(text, in: library)) }
    guard runtimes[library].status.state != .offline else { throw .broker(.offline) }
    session.assets.reset(
      numbers, of: library.record.name,
      completion: call.replying {
        Admin.ResetAssets.Reply(reset: Int64($0.changed), decisions: $0.decisions.map { Int64(clamping: $0) })
      })
  }

  private func restoreAssets(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.RestoreAssets.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.library, session.ownedLibrary)
    try CallFailure.check(parameters.identifiers, has: 1...ServiceLimits.identifiers, "identifiers")
    var numbers: [AssetNumber] = []
    for text in parameters.identifiers {
      guard let row = try AdminParameters.row(of: text, in: library), row.flags.contains(.trashed),
        !numbers.contains(row.number)
      else {
        throw .notFound("asset", "No such asset in this library's trash; list the trash to see what is there.")
      }
      numbers.append(row.number)
    }
    let runtime = runtimes[library]
    if parameters.dryRun ?? false {
      let count = Int64(numbers.count)
      return runtime.opened.checkThatStorageChanges(
        error: { BrokerError(.refused, $0.message, $0.reason) },
        call.replying { _ in Admin.RestoreAssets.Reply(restored: count) })
    }
    runtime.trash.restore(numbers, call.replying { Admin.RestoreAssets.Reply(restored: Int64($0)) })
  }
}
