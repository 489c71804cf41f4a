import Limits
import PhotoModel

/// Some albums of a list that is in the order of their titles, and where to go on.
package struct AlbumPage {
  package private(set) var albums: [AlbumRecord]
  /// Nil: these were the last.
  package private(set) var next: AlbumPosition?

  /// Bytes that the titles of one page may have together, so that it fits a message, escaped as the worst of them are.
  package static let pageTitleBytes = 320 << 10

  /// - Parameter position: where the page before ended.
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

/// An album's place among others. It stays right while albums come, go and are renamed, and even
/// when this one is gone. Seal it before an app gets it: it names an internal identifier.
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

  /// Reads what ``text`` gave; nil for anything else.
  package init?(_ text: String) {
    // By bytes: a title may begin with what combines with the digit before it.
    guard text.utf8.count <= 32 + BrokerLimits.titleBytes,
      let identifier = AlbumIdentifier(String(decoding: text.utf8.prefix(32), as: UTF8.self))
    else { return nil }
    self.identifier = identifier
    title = String(decoding: text.utf8.dropFirst(32), as: UTF8.self)
  }
}
