package import Catalogue

/// A validated selector, for a query here or on a worker.
package struct OwnerChoice: Sendable {
  let query: Query
  let last: Int?
  let view: View

  /// Number of assets that `selection` may have to check one by one.
  package func effort(in catalogue: Catalogue) -> Int { catalogue.effort(query, in: view) }

  package func selection(in catalogue: Catalogue) -> Selection {
    catalogue.selection(matching: query, in: view, limit: last)
  }

  /// One page of the chosen assets that are also in `view` and in `filter`, newest first, with
  /// their total number.
  package func page(
    in catalogue: Catalogue, view: View = .owner, filter: Selection?, skip: Int, limit: Int
  ) -> OwnedPage {
    var query = query
    if last != nil {
      query = Query()
      query.members = [selection(in: catalogue)]
    }
    if let filter { query.members.append(filter) }
    let page = try? catalogue.page(query, in: view, skip: skip, limit: limit)
    return OwnedPage(rows: catalogue.rows(page?.positions ?? []), total: catalogue.count(query, in: view))
  }
}

/// One page of an owner's assets.
package struct OwnedPage: Sendable {
  package let rows: [AssetRow]
  /// The total number.
  package let total: Int

  package init(rows: [AssetRow], total: Int) {
    self.rows = rows
    self.total = total
  }
}
