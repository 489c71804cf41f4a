import Catalogue

/// Lays rows down as they are read. A catalogue that cannot be made of them is damage of the database.
final class RowTaker {
  private var builder = CatalogueBuilder()

  func take(_ row: AssetRow) throws(SQLiteError) {
    do { try builder.append(row) } catch { throw SQLiteError(.corrupt, error.message) }
  }

  /// Call it once.
  func finish() throws(SQLiteError) -> Catalogue {
    var whole = CatalogueBuilder()
    swap(&whole, &builder)
    do { return try whole.finish() } catch { throw SQLiteError(.corrupt, error.message) }
  }
}
