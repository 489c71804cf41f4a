import Broker
import BrokerInterface
import Catalogue
import Limits
import PhotoModel
import Varlink

/// The page's server, its login codes, and the columns of its grid.
struct PageMethods {
  let broker: Broker
  let environment: any Environment
  let pages: PageLoginCodes

  @MethodRows var methods: [Method] {
    Method(Admin.ServePage.self, .administration(servePage))
    Method(Admin.OpenPage.self, .administration(openPage))
    Method(Admin.RedeemPageCode.self, .administration(redeemPageCode))
    Method(Admin.FetchOwnedColumns.self, .administration(fetchOwnedColumns))
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
      throw .broker(BrokerError(.failed, "\(error)"))
    }
    let rows = library.assets.rows(of: page)
    let next = page.next == nil ? nil : Int64(skip + rows.count)
    call.reply(columns(rows).reply(next: next, total: total, revision: library.changes.revision, selected: inSelection))
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
