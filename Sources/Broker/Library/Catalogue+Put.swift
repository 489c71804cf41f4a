package import Catalogue

extension Catalogue {
  /// Inserts or updates an asset. A row that contradicts what is there, such as an identifier that
  /// another one has, is left out: the library gives numbers and identifiers out once, so there is
  /// none.
  package mutating func put(_ row: AssetRow) {
    do {
      if position(of: row.number) == nil { try insert(row) } else { try update(row) }
    } catch {
      assertionFailure("\(error)")
    }
  }
}
