import Broker
import BrokerInterface
import Catalogue
import Cryptography
import Macaroons
import PhotoModel
import Varlink

extension LibraryMethods {
  static let fetching: [Method] = [
    Method(Library.FetchAssets.name, .granted(.read, fetchAssets)),
    Method(Library.CountAssets.name, .granted(.read, countAssets)),
    Method(Library.FetchAlbums.name, .granted(.read, fetchAlbums)),
  ]

  private static func fetchAssets(_ call: IncomingCall, _ admission: Admission) throws(CallFailure) {
    let parameters: Library.FetchAssets.Parameters = try call.parameters()
    if parameters.options?.album != nil, waitsForAlbums(call, admission, then: fetchAssets) { return }
    let limit = parameters.limit ?? Int64(ServiceLimits.defaultPageLimit)
    guard (1...Int64(ServiceLimits.pageLimit)).contains(limit) else { throw .invalid("limit") }
    let query = try QueryBuilder(admission: admission, now: call.core.environment.now).query(parameters.options)
    let library = admission.library
    call.core.runtime(library).prepareOrder(by: query.sort)
    // A cursor belongs to its options, so that it cannot be turned into a probe of other orders.
    let options = parameters.options.flatMap { try? SHA256.digest(of: $0.jsonBytes).bytes } ?? []
    let position: CursorPosition? = try parameters.cursor.map { cursor throws(CallFailure) in
      try decide { () throws(BrokerError) in try library.openCursor(cursor, options: options, for: admission.app) }
    }
    let page = try decide { () throws(BrokerError) in
      try library.page(query, view: admission.view, limit: Int(limit), after: position)
    }
    let assets = try AssetWriter(library.assets(of: page), seals: admission.seals)
    let cursor = try page.next.map { next throws(CallFailure) in
      try decide { () throws(BrokerError) in try library.seal(next, options: options, for: admission.app) }
    }
    guard call.core.noteMetadata(assets.page.facts, admission.permit) else { throw .broker(.ledgerUnavailable) }
    call.write(under: admission.permit) { writer in
      writer.beginObject()
      writer.key("assets")
      assets.write(to: &writer)
      if let cursor { writer.field("cursor", cursor) }
      writer.endObject()
    }
    call.core.broker.didFetch(admission.permit)
  }

  private static func countAssets(_ call: IncomingCall, _ admission: Admission) throws(CallFailure) {
    let parameters: Library.CountAssets.Parameters = try call.parameters()
    if parameters.options?.album != nil, waitsForAlbums(call, admission, then: countAssets) { return }
    let query = try QueryBuilder(admission: admission, now: call.core.environment.now).query(parameters.options)
    let counts = admission.library.catalogue.countByMediaType(query, in: admission.view)
    call.reply(
      Library.CountAssets.Reply(
        count: Int64(counts.values.reduce(0, +)), images: Int64(counts[.image] ?? 0), videos: Int64(counts[.video] ?? 0)),
      under: admission.permit)
    call.core.broker.didFetch(admission.permit)
  }

  private static func fetchAlbums(_ call: IncomingCall, _ admission: Admission) throws(CallFailure) {
    let _: Library.FetchAlbums.Parameters = try call.parameters()
    if waitsForAlbums(call, admission, then: fetchAlbums) { return }
    var albums: [Library.Album] = []
    for (album, count) in admission.library.albums(for: admission.grant, view: admission.view) {
      let identifier = try decide { () throws(BrokerError) in try admission.seals.seal(album.identifier) }
      albums.append(
        Library.Album(
          localIdentifier: identifier.description, title: album.title, count: Int64(count),
          canEdit: admission.grant.albums.allowsEditing(album.identifier)))
    }
    call.reply(Library.FetchAlbums.Reply(albums: albums), under: admission.permit)
    call.core.broker.didFetch(admission.permit)
  }
}
