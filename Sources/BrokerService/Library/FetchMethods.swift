import Broker
import BrokerInterface
import Catalogue
import Cryptography
import Limits
import Macaroons
import PhotoModel
import Proofs
import Varlink

/// Queries of assets, their versions, and albums.
struct FetchMethods {
  let broker: Broker
  let environment: any Environment
  let runtimes: LibraryRuntimes
  let disclosures: Disclosures

  @MethodRows var methods: [Method] {
    Method(
      Library.FetchAssets.self, .read, check: { given, _ throws(CallFailure) in try check(given.options) }, fetchAssets)
    Method(
      Library.CountAssets.self, .read, check: { given, _ throws(CallFailure) in try check(given.options) }, countAssets)
    Method(Library.FetchAlbums.self, .read, fetchAlbums)
    Method(Library.FetchVersions.self, .read, fetchVersions)
  }

  private func check(_ options: Library.FetchOptions?) throws(CallFailure) {
    _ = try QueryBuilder.plain(options, now: environment.now)
  }

  /// Whether a call waits for the policy that shows its album. Options that are invalid in any case
  /// fail at once.
  private func waitsForAlbum(
    of options: Library.FetchOptions?, _ call: IncomingCall, _ authorized: AuthorizedCall,
    then body: @escaping (IncomingCall, AuthorizedCall) throws(CallFailure) -> Void
  ) throws(CallFailure) -> Bool {
    guard options?.album != nil else { return false }
    try check(options)
    return authorized.waitsForAlbums(call, then: body)
  }

  private func fetchAssets(_ call: IncomingCall, _ authorized: AuthorizedCall) throws(CallFailure) {
    try fetchPage(call, authorized, atMost: ServiceLimits.pageLimit)
  }

  /// - Parameter most: the number of assets that fit a page, if a longer one was too long.
  private func fetchPage(_ call: IncomingCall, _ authorized: AuthorizedCall, atMost most: Int) throws(CallFailure) {
    let parameters: Library.FetchAssets.Parameters = try call.parameters()
    let hasExtras = parameters.captions == true || parameters.albums == true
    var limit = min(
      parameters.limit.map { Int($0) } ?? ServiceLimits.defaultPageLimit,
      hasExtras ? ServiceLimits.defaultPageLimit : ServiceLimits.pageLimit, most)
    let library = authorized.library
    // A cursor is bound to its options, so that it cannot reveal positions in other orders. An
    // invalid cursor fails without a policy.
    let options = parameters.options.flatMap { try? SHA256.digest(of: $0.jsonBytes).bytes } ?? []
    let position: CursorPosition? = try parameters.cursor.map { cursor throws(CallFailure) in
      try decide(authorized.seals.openCursor(cursor, options: options))
    }
    if try waitsForAlbum(of: parameters.options, call, authorized, then: fetchAssets) { return }
    if parameters.albums == true {
      if authorized.waitsForAlbums(call, then: fetchAssets) { return }
      let albums = library.albums.visibleAlbums(of: authorized.grant, authorized.attenuation)
      limit = min(limit, AssetExtras.assets(forAlbums: albums.count))
    }
    let builder = QueryBuilder(authorized: authorized, now: environment.now)
    let query = try builder.query(parameters.options)
    let album = try builder.orderingAlbum(parameters.options)
    runtimes[library].queries.prepareOrder(by: query.sortKey)
    let view = authorized.view
    let members = album.map {
      library.albums.visibleAlbums(of: authorized.grant, authorized.attenuation)[$0]?.members ?? []
    }
    try lookUp(query, call, authorized, again: fetchAssets) { [limit] catalogue in
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
      guard hasExtras else { return try answer(page, extras: nil, options: options, to: call, authorized) }
      try withCaptions(of: parameters.captions == true ? page.assets : nil, call, authorized) {
        captions throws(CallFailure) in
        let extras = try AssetExtras.of(
          page.assets, captions: captions, showsAlbums: parameters.albums == true, authorized)
        let fitting = AssetExtras.fitting(extras)
        guard fitting >= extras.count else { return try fetchPage(call, authorized, atMost: fitting) }
        try answer(page, extras: extras, options: options, to: call, authorized)
      }
    }
  }

  /// Reads the captions of assets; nil: none are shown. If the grant was narrowed meanwhile, the call
  /// runs again.
  private func withCaptions(
    of page: AssetPage?, _ call: IncomingCall, _ authorized: AuthorizedCall,
    then: @escaping ([AssetNumber: String]?) throws(CallFailure) -> Void
  ) throws(CallFailure) {
    guard let page, !authorized.permit.withheld.contains(.captions) else { return try then(nil) }
    authorized.library.readCaptions(of: page.facts.map(\.number)) { result in
      call.resume { () throws(CallFailure) in
        guard broker.mayRelease(authorized.permit) else {
          let renewed = try decide(authorized.renewed())
          return try fetchAssets(call, renewed)
        }
        try then(try decide(result.get()))
      }
    }
  }

  private func answer(
    _ page: FetchedPage, extras: [AssetExtras]?, options: [UInt8], to call: IncomingCall,
    _ authorized: AuthorizedCall
  ) throws(CallFailure) {
    var assets = try AssetWriter(page.assets, seals: authorized.seals, withholding: authorized.permit.withheld)
    assets.extras = extras
    let written = assets
    let cursor = try page.next.map { next throws(CallFailure) in
      try decide(authorized.seals.seal(next, options: options))
    }
    try disclosures.noteMetadata(page.assets.facts, authorized.permit)
    call.write(under: authorized.permit) { writer in
      writer.beginObject()
      writer.key("assets")
      written.write(to: &writer)
      if let cursor { writer.field("cursor", cursor) }
      if let withheld = authorized.permit.withheldNames { writer.field("withheld", withheld) }
      writer.endObject()
    }
    broker.promptService.didFetch(authorized.permit)
  }

  private struct FetchedPage: Sendable {
    let assets: AssetPage
    let next: CursorPosition?
  }

  /// Queries the catalogue, on a worker if that takes long. The answer goes out under the permit of
  /// the query; if the grant was narrowed meanwhile, the call runs again.
  private func lookUp<R: Sendable>(
    _ query: Query, _ call: IncomingCall, _ authorized: AuthorizedCall,
    again: @escaping (IncomingCall, AuthorizedCall) throws(CallFailure) -> Void,
    _ body: @escaping @Sendable (Catalogue) -> R, then: @escaping (R) throws(CallFailure) -> Void
  ) throws(CallFailure) {
    let library = authorized.library
    let effort = library.catalogue.effort(query, in: authorized.view)
    if effort <= QueryService.unsortedLimit {
      let found = body(library.assets.catalogueInPlace)
      return try then(found)
    }
    runtimes[library].queries.lookUp(effort: effort, body) { result in
      call.resume { () throws(CallFailure) in
        guard broker.mayRelease(authorized.permit) else {
          let renewed = try decide(authorized.renewed())
          return try again(call, renewed)
        }
        try then(try decide(result.get()))
      }
    }
  }

  private func countAssets(_ call: IncomingCall, _ authorized: AuthorizedCall) throws(CallFailure) {
    let parameters: Library.CountAssets.Parameters = try call.parameters()
    if try waitsForAlbum(of: parameters.options, call, authorized, then: countAssets) { return }
    var options = try QueryBuilder(authorized: authorized, now: environment.now).query(parameters.options)
    options.sort = .creationDate
    let (query, view) = (options, authorized.view)
    try lookUp(query, call, authorized, again: countAssets) {
      $0.countByMediaType(query, in: Proof.unfilteredCount.isMade ? .owner : view)
    } then: { counts in
      call.reply(
        Library.CountAssets.Reply(
          count: Int64(counts.total), images: Int64(counts[.image]), videos: Int64(counts[.video])),
        under: authorized.permit)
      broker.promptService.didFetch(authorized.permit)
    }
  }

  private func fetchAlbums(_ call: IncomingCall, _ authorized: AuthorizedCall) throws(CallFailure) {
    let parameters: Library.FetchAlbums.Parameters = try call.parameters()
    let (limit, cursor) = (parameters.limit.map { Int($0) } ?? ServiceLimits.pageLimit, parameters.cursor)
    let library = authorized.library
    try CallFailure.check(parameters.identifiers ?? [], has: 0...ServiceLimits.identifiers, "identifiers")
    let position = try cursor.map { cursor throws(CallFailure) in
      try decide(authorized.seals.openAlbumCursor(cursor))
    }
    if authorized.waitsForAlbums(call, then: fetchAlbums) { return }
    let visibleAlbums = library.albums.visibleAlbums(of: authorized.grant, authorized.attenuation)
    let wanted = parameters.identifiers.map { identifiers in
      Set(identifiers.compactMap { text in AlbumIdentifier(text).flatMap { try? authorized.seals.open($0) } })
    }
    let page = library.albums.page(of: visibleAlbums, among: wanted, after: position, limit: limit)
    var albums: [Library.Album] = []
    for album in page.albums {
      guard let sight = visibleAlbums[album.identifier] else { continue }
      albums.append(
        Library.Album(
          localIdentifier: try decide(authorized.seals.seal(album.identifier)).description, title: album.title,
          count: Int64(sight.members.count), canEdit: authorized.grant.albums.allowsEditing(album.identifier),
          version: Hex.text(try decide(authorized.seals.version(of: album.identifier, state: sight.state)))))
    }
    let next = try page.next.map { next throws(CallFailure) in try decide(authorized.seals.seal(next)) }
    call.reply(Library.FetchAlbums.Reply(albums: albums, cursor: next), under: authorized.permit)
    broker.promptService.didFetch(authorized.permit)
  }

  // MARK: Versions

  /// Binds cursors to this method.
  private static let versionsPurpose = Array("versions".utf8)

  private func fetchVersions(_ call: IncomingCall, _ authorized: AuthorizedCall) throws(CallFailure) {
    let parameters: Library.FetchVersions.Parameters = try call.parameters()
    let (cursor, limit) = (parameters.cursor, parameters.limit.map { Int($0) } ?? ServiceLimits.versionsLimit)
    if cursor == nil, authorized.waitsForAlbums(call, then: fetchVersions) { return }
    let library = authorized.library
    let position: CursorPosition? = try cursor.map { cursor throws(CallFailure) in
      try decide(authorized.seals.openCursor(cursor, options: Self.versionsPurpose))
    }
    // The change token is from before the first page, so changes during the paging are not missed.
    // An app without the `observe` verb gets none, because a different token would tell it of a
    // change.
    var token: String?
    if position == nil, authorized.permit.attachment.verbs.contains(.observe) {
      token = try decide(
        library.changes.list(since: nil, grant: authorized.grant, attenuation: authorized.attenuation).token)
    }
    var order = Query()
    order.withholdsPlaces = authorized.permit.withheld.contains(.location)
    let (query, view, first) = (order, authorized.view, token)
    try lookUp(query, call, authorized, again: fetchVersions) { catalogue in
      Result { () throws(BrokerError) in
        let page = try catalogue.answer(query, view: view, limit: limit, after: position)
        return FetchedPage(assets: catalogue.assets(page.positions), next: page.next)
      }
    } then: { found throws(CallFailure) in
      let page = try decide(found.get())
      let cursor = try page.next.map { next throws(CallFailure) in
        try decide(authorized.seals.seal(next, options: Self.versionsPurpose))
      }
      try answer(page.assets, changeToken: first, cursor: cursor, to: call, authorized)
    }
  }

  private func answer(
    _ assets: AssetPage, changeToken: String?, cursor: String?, to call: IncomingCall, _ authorized: AuthorizedCall
  ) throws(CallFailure) {
    let identifiers = try decide(authorized.seals.identifiers(of: assets))
    let versions = try decide(authorized.seals.versions(of: assets))
    try disclosures.noteMetadata(assets.facts, authorized.permit)
    call.write(under: authorized.permit) { writer in
      writer.beginObject()
      writer.key("localIdentifiers")
      writeList(of: identifiers, bytesEach: 35, to: &writer) { identifier, pen in
        pen.hex(UInt64(truncatingIfNeeded: identifier >> 64))
        pen.hex(UInt64(truncatingIfNeeded: identifier))
      }
      writer.key("versions")
      writeList(of: versions, bytesEach: 19, to: &writer) { version, pen in pen.hex(version) }
      if let changeToken { writer.field("changeToken", changeToken) }
      if let cursor { writer.field("cursor", cursor) }
      writer.endObject()
    }
    broker.promptService.didFetch(authorized.permit)
  }

  /// Writes a list of strings that need no escapes.
  private func writeList<Element>(
    of elements: [Element], bytesEach: Int, to writer: inout JSONWriter, _ write: (Element, inout JSONPen) -> Void
  ) {
    writer.stretch(estimate: 2 + elements.count * bytesEach) { pen in
      pen.text("[")
      for (index, element) in elements.enumerated() {
        if index > 0 { pen.text(",\"") } else { pen.text("\"") }
        write(element, &pen)
        pen.text("\"")
      }
      pen.text("]")
    }
  }
}
