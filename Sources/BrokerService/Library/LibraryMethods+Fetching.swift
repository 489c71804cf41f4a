import Broker
import BrokerInterface
import Catalogue
import Cryptography
import Limits
import Macaroons
import PhotoModel
import Proofs
import Varlink

extension LibraryMethods {
  static let fetching: [Method] = [
    Method(Library.FetchAssets.self, .read, check: checkFetch, fetchAssets),
    Method(
      Library.FetchVersions.self, .read,
      check: { call throws(CallFailure) in let _: Library.FetchVersions.Parameters = try call.parameters() },
      fetchVersions),
    Method(Library.CountAssets.self, .read, check: checkCount, countAssets),
    Method(
      Library.FetchAlbums.self, .read,
      check: { call throws(CallFailure) in let _: Library.FetchAlbums.Parameters = try call.parameters() }, fetchAlbums),
  ]

  private static func checkFetch(_ call: IncomingCall) throws(CallFailure) {
    let parameters: Library.FetchAssets.Parameters = try call.parameters()
    _ = try QueryBuilder.plain(parameters.options, now: call.core.environment.now)
  }

  private static func checkCount(_ call: IncomingCall) throws(CallFailure) {
    let parameters: Library.CountAssets.Parameters = try call.parameters()
    _ = try QueryBuilder.plain(parameters.options, now: call.core.environment.now)
  }

  /// Whether a call waits for the policy that shows its album. Options that are invalid in any case
  /// fail at once.
  private static func waitsForAlbum(
    of options: Library.FetchOptions?, _ call: IncomingCall, _ admission: Admission,
    then body: @escaping (IncomingCall, Admission) throws(CallFailure) -> Void
  ) throws(CallFailure) -> Bool {
    guard options?.album != nil else { return false }
    _ = try QueryBuilder.plain(options, now: call.core.environment.now)
    return waitsForAlbums(call, admission, then: body)
  }

  private static func fetchAssets(_ call: IncomingCall, _ admission: Admission) throws(CallFailure) {
    let parameters: Library.FetchAssets.Parameters = try call.parameters()
    let limit = parameters.limit.map { Int($0) } ?? ServiceLimits.defaultPageLimit
    let library = admission.library
    // A cursor is bound to its options, so that it cannot reveal positions in other orders. An
    // invalid cursor fails without a policy.
    let options = parameters.options.flatMap { try? SHA256.digest(of: $0.jsonBytes).bytes } ?? []
    let position: CursorPosition? = try parameters.cursor.map { cursor throws(CallFailure) in
      try decide(library.openCursor(cursor, options: options, for: admission.app))
    }
    if try waitsForAlbum(of: parameters.options, call, admission, then: fetchAssets) { return }
    let builder = QueryBuilder(admission: admission, now: call.core.environment.now)
    let query = try builder.query(parameters.options)
    let album = try builder.orderingAlbum(parameters.options)
    call.core.runtime(library).queries.prepareOrder(by: query.sort)
    let view = admission.view
    let members = album.map { library.albumSights(of: admission.grant, admission.narrowing)[$0]?.members ?? [] }
    try lookUp(query, call, admission, again: fetchAssets) { catalogue in
      Result { () throws(BrokerError) in
        let page: Page
        if let members {
          page = catalogue.page(inOrderOf: members, query, view: view, limit: limit, after: position)
        } else {
          page = try catalogue.answer(query, view: view, limit: limit, after: position)
        }
        return FetchedPage(assets: catalogue.assets(page.positions), next: page.next)
      }
    } then: { found throws(CallFailure) in
      let page = try decide(found.get())
      let assets = try AssetWriter(page.assets, seals: admission.seals)
      let cursor = try page.next.map { next throws(CallFailure) in
        try decide(library.seal(next, options: options, for: admission.app))
      }
      guard call.core.disclosures.noteMetadata(assets.page.facts, admission.permit) else {
        throw .broker(.ledgerUnavailable)
      }
      call.write(under: admission.permit) { writer in
        writer.beginObject()
        writer.key("assets")
        assets.write(to: &writer)
        if let cursor { writer.field("cursor", cursor) }
        writer.endObject()
      }
      call.core.broker.didFetch(admission.permit)
    }
  }

  struct FetchedPage: Sendable {
    let assets: AssetPage
    let next: CursorPosition?
  }

  /// Queries the catalogue, on a worker if that takes long. The answer goes out under the permit of
  /// the query; if the grant was narrowed meanwhile, the call runs again.
  static func lookUp<R: Sendable>(
    _ query: Query, _ call: IncomingCall, _ admission: Admission,
    again: @escaping (IncomingCall, Admission) throws(CallFailure) -> Void,
    _ body: @escaping @Sendable (Catalogue) -> R, then: @escaping (R) throws(CallFailure) -> Void
  ) throws(CallFailure) {
    let effort = admission.library.catalogue.effort(query, in: admission.view)
    try lookUp(effort: effort, call, admission, again: again, body, then: then)
  }

  /// Runs a query whose `effort` is the number of assets that it visits.
  private static func lookUp<R: Sendable>(
    effort: Int, _ call: IncomingCall, _ admission: Admission,
    again: @escaping (IncomingCall, Admission) throws(CallFailure) -> Void,
    _ body: @escaping @Sendable (Catalogue) -> R, then: @escaping (R) throws(CallFailure) -> Void
  ) throws(CallFailure) {
    let library = admission.library
    if effort <= QueryService.unsortedLimit {
      let found = body(library.catalogueInPlace)
      return try then(found)
    }
    call.core.runtime(library).queries.lookUp(effort: effort, body) { result in
      guard !call.isClosed else { return }
      call.attempt { () throws(CallFailure) in
        guard call.core.broker.mayRelease(admission.permit) else {
          let renewed = try decide(admission.renewed())
          return try again(call, renewed)
        }
        try then(try decide(result.get()))
      }
    }
  }

  private static func countAssets(_ call: IncomingCall, _ admission: Admission) throws(CallFailure) {
    let parameters: Library.CountAssets.Parameters = try call.parameters()
    if try waitsForAlbum(of: parameters.options, call, admission, then: countAssets) { return }
    var options = try QueryBuilder(admission: admission, now: call.core.environment.now).query(parameters.options)
    options.sort = .creationDate
    let (query, view) = (options, admission.view)
    try lookUp(query, call, admission, again: countAssets) {
      $0.countByMediaType(query, in: Proof.unfilteredCount.isMade ? .owner : view)
    } then: { counts in
      call.reply(
        Library.CountAssets.Reply(
          count: Int64(counts.total), images: Int64(counts[.image]), videos: Int64(counts[.video])),
        under: admission.permit)
      call.core.broker.didFetch(admission.permit)
    }
  }

  private static func fetchAlbums(_ call: IncomingCall, _ admission: Admission) throws(CallFailure) {
    let parameters: Library.FetchAlbums.Parameters = try call.parameters()
    let (limit, cursor) = (parameters.limit.map { Int($0) } ?? ServiceLimits.pageLimit, parameters.cursor)
    let library = admission.library
    let position = try cursor.map { cursor throws(CallFailure) in
      try decide(library.openAlbumCursor(cursor, for: admission.app))
    }
    if waitsForAlbums(call, admission, then: fetchAlbums) { return }
    let sights = library.albumSights(of: admission.grant, admission.narrowing)
    let page = library.albumPage(of: sights, after: position, limit: limit)
    var albums: [Library.Album] = []
    for album in page.albums {
      guard let sight = sights[album.identifier] else { continue }
      albums.append(
        Library.Album(
          localIdentifier: try decide(admission.seals.seal(album.identifier)).description, title: album.title,
          count: Int64(sight.members.count), canEdit: admission.grant.albums.allowsEditing(album.identifier),
          version: Hex.text(try decide(admission.seals.version(of: album.identifier, state: sight.state)))))
    }
    let next = try page.next.map { next throws(CallFailure) in try decide(library.seal(next, for: admission.app)) }
    call.reply(Library.FetchAlbums.Reply(albums: albums, cursor: next), under: admission.permit)
    call.core.broker.didFetch(admission.permit)
  }
}
