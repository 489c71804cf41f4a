package import Catalogue
import PhotoModel

extension Catalogue {
  /// One page of an album's visible members in the album's own order. The time grows with the
  /// number of members.
  /// - Parameter members: the album's visible members, from ``VisibleAlbum``.
  package func page(
    inOrderOf members: [AssetNumber], _ query: Query, view: View, limit: Int, after position: CursorPosition?
  ) -> Page {
    let matching = selection(matching: query, in: view)
    var ordered = members.filter { contains($0, in: matching) }.compactMap { row(of: $0)?.identifier }
    if !query.ascending { ordered.reverse() }
    let start = position.map { $0.place(in: ordered) } ?? 0
    let slice = ordered[start...].prefix(limit)
    let next =
      slice.endIndex < ordered.endIndex
      ? slice.last.map { last in
        CursorPosition(
          sort: query.sort, value: .integer(Int64(slice.endIndex)), identifier: last,
          neighbours: CursorPosition.Neighbours(in: ordered, end: slice.endIndex))
      } : nil
    return Page(positions: slice.compactMap { self.position(of: $0) }, next: next)
  }
}

extension CursorPosition {
  /// The index at which the next page starts in an order that may have changed. The earlier order is
  /// not stored, so the cursor's neighbours decide. Each of them may have moved or left the album.
  /// In doubt, the page repeats assets rather than skip one.
  fileprivate func place(in ordered: [AssetIdentifier]) -> Int {
    let given = (neighbours?.given ?? [identifier]).compactMap { ordered.firstIndex(of: $0) }
    let coming = (neighbours?.coming ?? []).compactMap { ordered.firstIndex(of: $0) }
    // Counts the assets that a start at this place would skip, and then those that it would repeat.
    func faults(_ place: Int) -> (left: Int, repeated: Int) {
      (coming.count { $0 < place }, given.count { $0 >= place })
    }
    // Assets inserted between the neighbours come on the next page, if that can be determined.
    let places = given.map { $0 + 1 }.sorted() + coming.sorted()
    if let best = places.min(by: { faults($0) < faults($1) }) { return best }
    guard case .integer(let passed) = value else { return 0 }
    return min(Int(clamping: max(passed, 0)), ordered.count)
  }
}
