package import Catalogue
import PhotoModel

extension Catalogue {
  /// One page of what a view holds of an album, in the album's own order, and where to go on. Takes time with the members.
  /// - Parameter members: as ``AlbumSight`` has them.
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
