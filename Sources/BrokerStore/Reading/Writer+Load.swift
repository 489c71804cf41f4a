import Broker
import Catalogue
import PhotoModel

extension Writer {
  /// Reads all state that the broker keeps in memory.
  func load() throws(SQLiteError) -> StoreContents {
    let reader = StateReader(connection: try connected()) { [self] (number, name) throws(SQLiteError) in
      try keptCatalogue(of: number, name)
    }
    let contents = try reader.contents()
    deliveries = try readDeliveries()
    CatalogueFile.removeAll(but: try knownCatalogues().values, from: folder)
    // Frees cached pages of selections and names, which are not read again.
    try connected().execute("PRAGMA shrink_memory")
    return contents
  }

  private func keptCatalogue(of number: Int64, _ library: LibraryName) throws(SQLiteError) -> Catalogue? {
    guard let kept = try knownCatalogues()[number] else { return nil }
    if let catalogue = CatalogueFile.read(kept, from: folder) { return catalogue }
    // Forgotten at once, so that it can never match later.
    try forgetCatalogue(of: number)
    remarks.append("the kept catalogue of library \(library) is missing or damaged; it was made again from the rows")
    return nil
  }

  func each(
    _ query: String, _ values: SQLiteValue..., body: (Statement) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    try connected().each(query, values, body: body)
  }

  func readDeliveries() throws(SQLiteError) -> [DeliveryKey: Delivered] {
    var sums: [DeliveryKey: Delivered] = [:]
    try each("SELECT library, app, assets, bytes FROM deliveries") { row throws(SQLiteError) in
      sums[DeliveryKey(library: row.integer(0), app: try row.app(1))] = Delivered(
        assets: try row.number(2), bytes: row.integer(3))
    }
    return sums
  }
}
