import Broker
import BrokerInterface
import Catalogue
import Limits
import Macaroons
import PhotoModel
import Varlink

/// Builds the catalogue's query from the interface's options. Every error names its field.
struct QueryBuilder {
  let authorized: AuthorizedCall
  let now: Timestamp

  func query(_ options: Library.FetchOptions?) throws(CallFailure) -> Query {
    var query = try Self.plain(options, now: now)
    query.withholdsPlaces = authorized.permit.withheld.contains(.location)
    if query.withholdsPlaces, query.box != nil {
      throw .photos(
        .accessUserDenied, "Places are withheld from this app, so it cannot search by place; leave place out.")
    }
    query.identifiers = options?.identifiers.map {
      $0.compactMap { AssetIdentifier($0) }.compactMap { try? authorized.seals.open($0) }
    }
    if let album = options?.album { query.members = [try members(of: album)] }
    return query
  }

  /// The query without the parts that depend on the app: identifiers and album.
  static func plain(_ options: Library.FetchOptions?, now: Timestamp) throws(CallFailure) -> Query {
    var query = Query()
    guard let options else { return query }
    if let names = options.mediaTypes { query.mediaTypes = try Set(mediaTypes(names)) }
    if let names = options.mediaSubtypes { query.anySubtypes = try subtypes(names, "options.mediaSubtypes") }
    if let names = options.withoutSubtypes { query.withoutSubtypes = try subtypes(names, "options.withoutSubtypes") }
    query.favourite = options.favorite
    query.createdFrom = options.createdFrom.map { Timestamp(microseconds: $0) }
    query.createdBefore = options.createdBefore.map { Timestamp(microseconds: $0) }
    if let place = options.place { query.box = try box(place) }
    if let text = options.text {
      guard text.utf8.count <= ServiceLimits.textBytes else {
        throw .invalid("options.text", "it has at most \(ServiceLimits.textBytes) bytes")
      }
      query.text = text
    }
    try CallFailure.check(options.identifiers ?? [], has: 0...ServiceLimits.identifiers, "options.identifiers")
    try CallFailure.named(options.smartAlbum, in: "options.smartAlbum", by: \SmartAlbum.rawValue)?
      .narrow(&query, now: now)
    if options.sort == "album" {
      guard options.album != nil else {
        throw .invalid("options.sort", "album is the order of one album; give options.album too")
      }
    } else {
      query.sort = try sort(options.sort)
    }
    query.ascending = options.ascending ?? false
    return query
  }

  /// The album whose order the options ask for; nil: another order.
  func orderingAlbum(_ options: Library.FetchOptions?) throws(CallFailure) -> AlbumIdentifier? {
    guard let options, options.sort == "album", let album = options.album.flatMap({ AlbumIdentifier($0) }) else {
      return nil
    }
    return try decide(authorized.seals.open(album))
  }

  private static func mediaTypes(_ names: [String]) throws(CallFailure) -> [MediaType] {
    var types: [MediaType] = []
    for name in names {
      types.append(try CallFailure.named(name, in: "options.mediaTypes", by: \MediaType.name))
    }
    return types
  }

  private static func subtypes(_ names: [String], _ field: String) throws(CallFailure) -> MediaSubtypes {
    var subtypes: MediaSubtypes = []
    for name in names {
      guard let known = MediaSubtypes.names.first(where: { $0.1 == name }) else {
        throw .invalid(field, name, allowed: MediaSubtypes.names.map(\.1))
      }
      subtypes.insert(known.0)
    }
    return subtypes
  }

  private static func box(_ place: Library.Place) throws(CallFailure) -> GeoBox {
    guard let box = GeoBox(south: place.south, west: place.west, north: place.north, east: place.east) else {
      throw .invalid("options.place", "\(CallFailure.coordinates), and south is at most north")
    }
    return box
  }

  private func members(of album: String) throws(CallFailure) -> Selection {
    guard let identifier = AlbumIdentifier(album) else { throw .broker(.identifierNotFound()) }
    return try decide(
      authorized.library.albums.members(
        of: authorized.seals.open(identifier), for: authorized.grant, subset: authorized.attenuation?.selection))
  }

  private static func sort(_ name: String?) throws(CallFailure) -> SortKey {
    switch name {
    case nil, "creationDate": .creationDate
    case "modificationDate": .modificationDate
    case "addedDate": .addedDate
    case "filename": .fileName
    case "duration": .duration
    case "pixels": .pixels
    case let name?:
      throw .invalid(
        "options.sort", name,
        allowed: ["creationDate", "modificationDate", "addedDate", "filename", "duration", "pixels", "album"])
    }
  }
}
