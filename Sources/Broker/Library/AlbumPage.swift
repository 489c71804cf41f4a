import Limits
import PhotoModel

/// One page of a list of albums in the order of their titles.
package struct AlbumPage {
  package private(set) var albums: [AlbumRecord]
  /// The position of the next page; nil: this is the last page.
  package private(set) var next: AlbumPosition?

  /// Limit of the titles of one page, in bytes, so that they fit a message even if every character
  /// is escaped.
  package static let pageTitleBytes = 320 << 10

  init(_ list: some Sequence<AlbumRecord>, after position: AlbumPosition?, limit: Int) {
    let rest = list.filter { album in position.map { $0 < AlbumPosition(album) } ?? true }
      .sorted { AlbumPosition($0) < AlbumPosition($1) }
    var (count, bytes) = (0, 0)
    for album in rest.prefix(limit) {
      bytes += album.title.utf8.count
      if bytes > Self.pageTitleBytes, count > 0 { break }
      count += 1
    }
    albums = Array(rest.prefix(count))
    next = count < rest.count ? albums.last.map(AlbumPosition.init) : nil
  }
}

/// A position in the list of albums. It stays valid while albums are added, removed or renamed,
/// this one included. Seal it before an app gets it, because it contains an internal identifier.
package struct AlbumPosition: Hashable, Comparable, Sendable {
  let title: String
  let identifier: AlbumIdentifier

  init(_ album: AlbumRecord) {
    title = album.title
    identifier = album.identifier
  }

  package static func < (a: Self, b: Self) -> Bool {
    a.title != b.title ? a.title < b.title : a.identifier < b.identifier
  }

  /// The identifier's 32 digits, then the title.
  package var text: String { "\(identifier)\(title)" }

  /// Parses ``text``; nil for anything else.
  package init?(_ text: String) {
    // By bytes: a title may begin with a character that combines with the digit before it.
    guard text.utf8.count <= 32 + BrokerLimits.titleBytes,
      let identifier = AlbumIdentifier(String(decoding: text.utf8.prefix(32), as: UTF8.self))
    else { return nil }
    self.identifier = identifier
    title = String(decoding: text.utf8.dropFirst(32), as: UTF8.self)
  }
}
