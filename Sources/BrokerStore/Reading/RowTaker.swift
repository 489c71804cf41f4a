import Catalogue

/// Builds a catalogue of rows. An error means that the database is damaged.
final class RowTaker {
  private var builder = CatalogueBuilder()

  func take(_ row: AssetRow) throws(SQLiteError) {
    do { try builder.append(row) } catch { throw SQLiteError(.corrupt, error.message) }
  }

  /// Call this once.
  func finish() throws(SQLiteError) -> Catalogue {
    var whole = CatalogueBuilder()
    swap(&whole, &builder)
    do { return try whole.finish() } catch { throw SQLiteError(.corrupt, error.message) }
  }
}
