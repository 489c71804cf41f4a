import PhotoModel

/// Builds a catalogue row by row, so that a loader needs no array of all rows.
package struct CatalogueBuilder: ~Copyable {
  private var columns = Columns()
  private var numbers = NumberTable()
  private var last: SortPlace?
  private var isSorted = true

  package init() {}

  /// - Throws: `duplicateNumber`, `limitExceeded`.
  package mutating func append(_ row: AssetRow) throws(CatalogueError) {
    guard columns.count < Catalogue.limit, row.number.rawValue < Catalogue.limit else { throw .limitExceeded() }
    guard numbers[row.number.rawValue] == nil else { throw .duplicateNumber() }
    let place = SortPlace(value: row.sortValue(.creationDate), identifier: row.identifier)
    if let last, place < last { isSorted = false }
    last = place
    numbers.set(row.number.rawValue, to: columns.count)
    columns.append(row)
  }

  /// - Throws: `duplicateIdentifier`.
  package consuming func finish() throws(CatalogueError) -> Catalogue {
    if !isSorted {
      let unsorted = columns
      let keys = (0..<unsorted.count).map { (unsorted[.created, $0], unsorted.identifiers[$0], $0) }
        .sorted { $0.0 != $1.0 ? $0.0 < $1.0 : $0.1 < $1.1 }
      columns = unsorted.gathered(keys.map(\.2))
    }
    let catalogue = Catalogue(sorted: columns, lineage: Layout.Lineage())
    guard !catalogue.index.hasDuplicate(catalogue.columns.identifiers) else { throw .duplicateIdentifier() }
    return catalogue
  }
}
