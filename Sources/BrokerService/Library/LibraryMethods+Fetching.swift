import Broker
import BrokerInterface
import Catalogue
import Cryptography
import PhotoModel
import Varlink

extension LibraryMethods {
  static let fetching: [Method] = [
    Method(Library.FetchAssets.name, .granted(.read, fetchAssets)),
    Method(Library.CountAssets.name, .granted(.read, countAssets)),
    Method(Library.FetchAlbums.name, .granted(.read, fetchAlbums)),
  ]

  private static func fetchAssets(_ call: IncomingCall, _ permit: Permit) throws(CallFailure) {
    let parameters: Library.FetchAssets.Parameters = try call.parameters()
    let limit = parameters.limit ?? Int64(ServiceLimits.defaultPageLimit)
    guard (1...Int64(ServiceLimits.pageLimit)).contains(limit) else { throw .invalid("limit") }
    let query = try QueryBuilder(permit: permit, now: call.core.environment.now).query(parameters.options)
    let library = permit.library
    // A cursor belongs to its options, so that it cannot be turned into a probe of other orders.
    let options = parameters.options.map { SHA256.digest($0.jsonBytes) } ?? []
    let position: CursorPosition? = try parameters.cursor.map { cursor throws(CallFailure) in
      try decide { () throws(BrokerError) in try library.openCursor(cursor, options: options, for: permit.app) }
    }
    let page = library.page(query, view: permit.view, limit: Int(limit), after: position)
    let rows = library.rows(of: page)
    guard call.core.note(rows, "metadata", 0, permit) else { throw .broker(.ledgerUnavailable) }
    call.write(under: permit) { writer in
      writer.beginObject()
      writer.key("assets")
      AssetWriter(permit).write(rows, to: &writer)
      if let next = page.next { writer.field("cursor", library.seal(next, options: options, for: permit.app)) }
      writer.endObject()
    }
    call.core.broker.didFetch(permit)
  }

  private static func countAssets(_ call: IncomingCall, _ permit: Permit) throws(CallFailure) {
    let parameters: Library.CountAssets.Parameters = try call.parameters()
    let query = try QueryBuilder(permit: permit, now: call.core.environment.now).query(parameters.options)
    let counts = permit.library.catalogue.count(query, in: permit.view)
    call.reply(
      Library.CountAssets.Reply(count: Int64(counts.total), images: Int64(counts.images), videos: Int64(counts.videos)),
      under: permit)
    call.core.broker.didFetch(permit)
  }

  private static func fetchAlbums(_ call: IncomingCall, _ permit: Permit) throws(CallFailure) {
    let _: Library.FetchAlbums.Parameters = try call.parameters()
    let albums = permit.library.albums(for: permit.grant, view: permit.view).map { album, count in
      Library.Album(
        localIdentifier: permit.seals.seal(album.identifier).description, title: album.title, count: Int64(count),
        canEdit: permit.grant.albums.allowsEditing(album.identifier))
    }
    call.reply(Library.FetchAlbums.Reply(albums: albums), under: permit)
    call.core.broker.didFetch(permit)
  }
}
