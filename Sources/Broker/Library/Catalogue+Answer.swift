package import Catalogue

extension Catalogue {
  /// One page of a view. Workers call it on a copy of the catalogue.
  package func answer(
    _ query: Query, view: View, limit: Int, after position: CursorPosition?
  ) throws(BrokerError) -> Page {
    do { return try page(query, in: view, after: position, limit: limit) } catch {
      throw .invalidCursor("of these options")
    }
  }
}
