import Broker
import BrokerInterface
import Catalogue
import Cleaning
import Limits
import Macaroons
import PhotoModel
import Varlink

/// The facts of an asset that a fetch has only on request.
struct AssetExtras {
  private let caption: String?
  /// The app's identifiers of the albums; nil: not asked for.
  private let albums: [AlbumIdentifier]?

  /// The facts of a page's assets, in order.
  /// - Parameters:
  ///   - captions: stored captions; nil: none are shown.
  ///   - showsAlbums: whether the app asked for albums. Their policy has answered.
  static func of(
    _ page: AssetPage, captions: [AssetNumber: String]?, showsAlbums: Bool, _ authorized: AuthorizedCall
  ) throws(CallFailure) -> [Self] {
    let albums = try showsAlbums ? visibleAlbums(of: page, authorized) : nil
    let withheld = authorized.permit.withheld
    return page.facts.map { asset in
      Self(
        caption: captions?[asset.number].flatMap { withheld.shown(caption: $0) },
        albums: albums.map { $0[asset.number] ?? [] })
    }
  }

  /// The number of assets whose albums are found in some milliseconds.
  static func assets(forAlbums count: Int) -> Int { max(1, 5_000 / max(1, count)) }

  private static func visibleAlbums(
    of page: AssetPage, _ authorized: AuthorizedCall
  ) throws(CallFailure) -> [AssetNumber: [AlbumIdentifier]] {
    let albums = authorized.library.albums
    let found = albums.albums(
      of: page.facts.map(\.number), among: albums.visibleAlbums(of: authorized.grant, authorized.attenuation))
    var sealed: [AlbumIdentifier: AlbumIdentifier] = [:]
    for album in Set(found.values.joined()) { sealed[album] = try decide(authorized.seals.seal(album)) }
    // In the order of the app's identifiers, which reveals nothing of the stored ones.
    return found.mapValues { Array($0.compactMap { sealed[$0] }.sorted().prefix(WireLimits.arrayLength)) }
  }

  /// Length in a message, apart from escapes.
  private var bytes: Int { (caption?.utf8.count ?? 0) + (albums?.count ?? 0) * 35 }

  /// The number of assets whose facts fit one message, even if every character is escaped; at least
  /// one.
  static func fitting(_ extras: [Self]) -> Int {
    var bytes = 0
    let count = extras.prefix {
      bytes += $0.bytes
      return bytes <= AlbumPage.pageTitleBytes
    }.count
    return max(1, count)
  }

  func write(to pen: inout JSONPen) {
    if var caption {
      pen.text(",\"caption\":")
      caption.withUTF8 { pen.string(utf8: $0) }
    }
    guard let albums else { return }
    pen.text(",\"albums\":[")
    for (index, album) in albums.enumerated() {
      if index > 0 { pen.text(",\"") } else { pen.text("\"") }
      pen.hex(album.high)
      pen.hex(album.low)
      pen.text("\"")
    }
    pen.text("]")
  }
}

extension WithheldFacts {
  /// A caption as an app gets it; nil: it has none, or it is withheld. A caption may name the place in
  /// numbers, as in the bytes.
  func shown(caption: String) -> String? {
    caption.isEmpty || contains(.captions) || contains(.location) && PlaceHints.mayHoldPlace(caption.utf8)
      ? nil : caption
  }
}
