package import Catalogue
import PhotoModel

extension Catalogue {
  /// One page of what a view holds of an album, in the album's own order, and where to go on. Takes
  /// time with the members.
  /// - Parameter members: as ``AlbumSight`` has them.
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
  /// Where to go on in an order that may have changed since. No order is kept from then, so what
  /// was given last and what was to come say it together: any of them may have been moved or be
  /// gone. Rather than to leave one out, any number are given twice.
  fileprivate func place(in ordered: [AssetIdentifier]) -> Int {
    let given = (neighbours?.given ?? [identifier]).compactMap { ordered.firstIndex(of: $0) }
    let coming = (neighbours?.coming ?? []).compactMap { ordered.firstIndex(of: $0) }
    // How many would never be given where it went on at this place, and among places where these
    // are as many, how many again.
    func faults(_ place: Int) -> (left: Int, repeated: Int) {
      (coming.count { $0 < place }, given.count { $0 >= place })
    }
    // What came in between is given, where that can be told.
    let places = given.map { $0 + 1 }.sorted() + coming.sorted()
    if let best = places.min(by: { faults($0) < faults($1) }) { return best }
    guard case .integer(let passed) = value else { return 0 }
    return min(Int(clamping: max(passed, 0)), ordered.count)
  }
}
