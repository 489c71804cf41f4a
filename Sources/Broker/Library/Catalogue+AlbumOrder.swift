package import Catalogue
import PhotoModel

/// What is looked at of an album to tell what a view shows of it; also on a worker.
package struct AlbumOutline: Sendable {
  let title: String
  let members: [AssetNumber]
  let selection: Selection
}

/// What a view shows of an album.
package struct AlbumSight: Sendable {
  /// Members in the view.
  package let count: Int
  /// A digest of the title and of these members in their order. Not secret by itself: see ``AppSeals/version(of:state:)``.
  package let state: UInt64
}

extension Catalogue {
  /// Takes time with the members, those out of the view too.
  package func look(at album: AlbumOutline, in view: View) -> AlbumSight {
    var query = Query()
    query.members = [album.selection]
    let shown = selection(matching: query, in: view)
    var (digest, count) = (StateDigest(), 0)
    digest.mix(album.title.utf8)
    for number in album.members where contains(number, in: shown) {
      guard let position = position(of: number) else { continue }
      let identifier = identifier(position)
      digest.mix(identifier.high)
      digest.mix(identifier.low)
      count += 1
    }
    return AlbumSight(count: count, state: digest.value)
  }

  /// One page of what a view holds of an album, in the album's own order, and where to go on. Takes time with the members.
  package func page(
    inOrderOf members: [AssetNumber], _ query: Query, view: View, limit: Int, after position: CursorPosition?
  ) -> Page {
    let matching = selection(matching: query, in: view)
    var ordered = members.filter { contains($0, in: matching) }.compactMap { row(of: $0)?.identifier }
    if !query.ascending { ordered.reverse() }
    var start = 0
    if let position {
      // Where the last one is gone the count of those before it is as good a place as any.
      if let last = ordered.firstIndex(of: position.identifier) {
        start = last + 1
      } else if case .integer(let passed) = position.value {
        start = min(Int(clamping: max(passed, 0)), ordered.count)
      }
    }
    let slice = ordered[start...].prefix(limit)
    let next =
      slice.endIndex < ordered.endIndex
      ? slice.last.map { CursorPosition(sort: query.sort, value: .integer(Int64(slice.endIndex)), identifier: $0) } : nil
    return Page(positions: slice.compactMap { self.position(of: $0) }, next: next)
  }
}
