package import Catalogue

extension Catalogue {
  /// Inserts or updates an asset. A row that contradicts another, such as by the same identifier,
  /// is skipped; it cannot occur, because the library assigns numbers and identifiers once.
  package mutating func put(_ row: AssetRow) {
    do {
      if position(of: row.number) == nil { try insert(row) } else { try update(row) }
    } catch {
      assertionFailure("\(error)")
    }
  }
}
