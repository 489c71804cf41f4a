import Broker
import BrokerInterface
import Catalogue
import Limits
import PhotoModel
import Varlink

/// The page's server, its login codes, the columns of its grid, and its search.
struct PageMethods {
  let broker: Broker
  let environment: any Environment
  let pages: PageLoginCodes
  let runtimes: LibraryRuntimes
  let selectors: SelectorResolver

  @MethodRows var methods: [Method] {
    Method(Admin.ServePage.self, .administration(servePage))
    Method(Admin.OpenPage.self, .administration(openPage))
    Method(Admin.RedeemPageCode.self, .administration(redeemPageCode))
    Method(Admin.FetchOwnedColumns.self, .administration(fetchOwnedColumns))
    Method(Admin.FetchSearchHints.self, .administration(fetchSearchHints))
  }

  private func servePage(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ServePage.Parameters = try call.parameters()
    guard let address = LoopbackAddress(parameters.address) else {
      throw .invalid("address", "it is no loopback address; use 127.0.0.1 or ::1")
    }
    pages.serve(
      session.uid, address: address, port: UInt16(clamping: parameters.port), on: ObjectIdentifier(call.connection))
    call.reply(Admin.ServePage.Reply(), continues: call.call.more)
  }

  private func openPage(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let _: Admin.OpenPage.Parameters = try call.parameters()
    let page = try decide(pages.open(session.uid, environment))
    call.reply(Admin.OpenPage.Reply(code: page.code, address: page.address.description, port: Int64(page.port)))
  }

  private func redeemPageCode(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.RedeemPageCode.Parameters = try call.parameters()
    try decide(pages.redeem(parameters.code, for: session.uid, environment))
    call.reply(Admin.RedeemPageCode.Reply())
  }

  private func fetchOwnedColumns(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.FetchOwnedColumns.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.library, session.seenLibrary)
    let (skip, limit) = (Int(parameters.skip ?? 0), parameters.limit.map { Int($0) } ?? ServiceLimits.columnLimit)
    let isPart = parameters.album != nil || skip > 0
    guard parameters.since == nil || !isPart else {
      throw .invalid("since", "it is for the whole library; leave album and skip out")
    }
    if parameters.folder != nil || parameters.place != nil {
      return try fetchPart(parameters, of: library, call, session)
    }
    var selected: Selection?
    if let text = parameters.app {
      let app = try AdminParameters.app(text)
      let known = try decide(session.app(app))
      selected =
        broker.grant(GrantKey(library: library.record.name, app: known.identifier, level: .readWrite))?.selection
    }
    var view = View.owner
    var query = Query()
    query.withoutFlags = .trashed
    if let app = parameters.seenBy {
      guard let appView = try AppView.find(app, in: library, call, session) else {
        return call.reply(
          OwnedColumns([], zone: 0, isSelected: { _ in false }).reply(
            next: nil, total: 0, revision: library.changes.revision))
      }
      if parameters.album != nil,
        appView.waitsForAlbums(
          of: library, call, then: { () throws(CallFailure) in try fetchOwnedColumns(call, session) })
      {
        return
      }
      view = appView.view
      if let album = parameters.album { query.members = [try appView.members(of: album, in: library)] }
    } else if let album = parameters.album {
      query.members = [try members(of: album, in: library)]
    }
    let columns = { (rows: [AssetRow]) in
      OwnedColumns(rows, zone: library.record.zoneOffsetMinutes) { row in
        selected.map { library.catalogue.contains(row.number, in: $0) } ?? false
      }
    }
    let (total, inSelection) = (
      library.catalogue.count(query, in: view), selected.map { library.catalogue.count(of: $0) } ?? 0
    )
    if let since = parameters.since, let changed = library.changes.recent.since(since, now: library.changes.revision),
      changed.count <= limit
    {
      let (rows, gone) = present(changed, query, in: library, view)
      return call.reply(
        columns(rows).reply(
          next: nil, total: total, revision: library.changes.revision, gone: gone, selected: inSelection))
    }
    let page: Page
    do { page = try library.catalogue.page(query, in: view, skip: skip, limit: limit) } catch {
      throw .failed("\(error)")
    }
    let rows = library.assets.rows(of: page)
    let next = page.next == nil ? nil : Int64(skip + rows.count)
    call.reply(columns(rows).reply(next: next, total: total, revision: library.changes.revision, selected: inSelection))
  }

  /// The assets of a folder or place. Either takes too long for the loop in a large library.
  private func fetchPart(
    _ parameters: Admin.FetchOwnedColumns.Parameters, of library: LibraryState, _ call: IncomingCall,
    _ session: AdminSession
  ) throws(CallFailure) {
    guard parameters.app == nil, parameters.seenBy == nil, parameters.album == nil, parameters.since == nil else {
      throw .invalid(
        parameters.folder == nil ? "place" : "folder", "leave album, app, seenBy and since out beside it")
    }
    var query = Query()
    query.withoutFlags = .trashed
    query.box = try parameters.place.map { place throws(CallFailure) in
      guard let box = GeoBox(south: place.south, west: place.west, north: place.north, east: place.east) else {
        throw .invalid("place", "\(CallFailure.coordinates), and south is at most north")
      }
      return box
    }
    let (placed, revision) = (query, library.changes.revision)
    let (skip, limit) = (Int(parameters.skip ?? 0), parameters.limit.map { Int($0) } ?? ServiceLimits.columnLimit)
    selectors.members(of: parameters.folder, in: library, call) { folder throws(CallFailure) in
      var query = placed
      query.members = folder.map { [$0] } ?? []
      let wanted = query
      let answer = call.answering { (found: FoundPart) throws(CallFailure) in
        // The caller's rights may have ended meanwhile.
        guard session.sees(library) else { throw AdminParameters.noLibrary() }
        let columns = OwnedColumns(found.rows, zone: library.record.zoneOffsetMinutes) { _ in false }
        let next = found.isLast ? nil : Int64(skip + found.rows.count)
        call.reply(columns.reply(next: next, total: found.total, revision: revision))
      }
      runtimes[library].queries.lookUp(
        effort: library.catalogue.effort(wanted, in: .owner),
        { catalogue in
          let page = try? catalogue.page(wanted, in: .owner, skip: skip, limit: limit)
          return FoundPart(
            rows: catalogue.rows(page?.positions ?? []), total: catalogue.count(wanted, in: .owner),
            isLast: page?.next == nil)
        }, then: answer)
    }
  }

  private struct FoundPart: Sendable {
    var rows: [AssetRow]
    var total: Int
    var isLast: Bool
  }

  private func fetchSearchHints(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.FetchSearchHints.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.library, session.seenLibrary)
    let text = parameters.text
    guard (1...ServiceLimits.textBytes).contains(text.utf8.count) else {
      throw .invalid("text", "it has 1 to \(ServiceLimits.textBytes) bytes")
    }
    selectors.paths(of: library) { result in
      call.resume { () throws(CallFailure) in
        let paths = try result.get()
        let answer = call.answering { (hints: SearchHints) throws(CallFailure) in
          guard session.sees(library) else { throw AdminParameters.noLibrary() }
          call.reply(Admin.FetchSearchHints.Reply(folders: hints.folders, towns: hints.towns))
        }
        // On a worker, because the first search reads the table of towns.
        runtimes[library].queries.lookUp(
          effort: .max, { SearchHints(text, among: paths, in: $0, towns: ZoneFile.towns) }, then: answer)
      }
    }
  }

  /// Splits assets into visible rows, newest first, and the rest.
  private func present(
    _ assets: Set<AssetIdentifier>, _ query: Query, in library: LibraryState, _ view: View
  ) -> (rows: [AssetRow], gone: [AssetIdentifier]) {
    let numbers = assets.compactMap { library.catalogue.position(of: $0).map { library.catalogue.row($0).number } }
    var query = query
    query.members = [library.catalogue.selection(of: numbers)]
    let rows = (try? library.catalogue.page(query, in: view, limit: assets.count)).map(library.assets.rows) ?? []
    return (rows, Array(assets.subtracting(rows.map(\.identifier))))
  }

  private func members(of album: String, in library: LibraryState) throws(CallFailure) -> Selection {
    guard let identifier = AlbumIdentifier(album), let album = library.albums[identifier] else {
      throw AdminParameters.noAlbum()
    }
    return library.catalogue.selection(of: album.members)
  }
}
