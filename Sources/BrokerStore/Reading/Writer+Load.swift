import Broker
import Catalogue
import PhotoModel

extension Writer {
  /// Reads all state that the broker keeps in memory.
  func load() throws(SQLiteError) -> StoreContents {
    let reader = StateReader(connection: try connected()) { [self] (number, name) throws(SQLiteError) in
      try keptCatalogue(of: number, name)
    }
    var contents = try reader.contents()
    let counted = Set(contents.grants.lazy.filter(\.hasAllowance).map(\.key))
    for index in contents.libraries.indices {
      let name = contents.libraries[index].record.name
      let tokens = contents.tokens.filter { $0.grant.map { $0.library == name && counted.contains($0) } ?? false }
      contents.libraries[index].deliveries = try ledger.recent(of: name, under: Set(tokens.map(\.accessor)))
    }
    try ledger.loadDeliveries()
    CatalogueFile.removeAll(but: try assets.knownCatalogues().values, from: database.folder)
    // Frees cached pages of selections and names, which are not read again.
    try connected().execute("PRAGMA shrink_memory")
    return contents
  }

  private func keptCatalogue(of number: Int64, _ library: LibraryName) throws(SQLiteError) -> Catalogue? {
    guard let kept = try assets.knownCatalogues()[number] else { return nil }
    if let catalogue = CatalogueFile.read(kept, from: database.folder) { return catalogue }
    // Forgotten at once, so that it can never match later.
    try assets.forgetCatalogue(of: number)
    remarks.append("the kept catalogue of library \(library) is missing or damaged; it was made again from the rows")
    return nil
  }
}
