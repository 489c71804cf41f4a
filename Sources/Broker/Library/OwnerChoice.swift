package import Catalogue

/// A selector that was checked: what to ask a catalogue for, now or on a worker.
package struct OwnerChoice: Sendable {
  let query: Query
  let last: Int?

  /// How many assets `selection` may have to look at one by one.
  package func effort(in catalogue: Catalogue) -> Int { catalogue.effort(query, in: .owner) }

  /// The assets.
  package func selection(in catalogue: Catalogue) -> Selection {
    catalogue.selection(matching: query, in: .owner, limit: last)
  }

  /// Some of the assets that are also in `view` and in `filter`, newest first, and how many there are in all.
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

/// Some of what an owner chose.
package struct OwnedPage: Sendable {
  package let rows: [AssetRow]
  /// How many there are in all.
  package let total: Int

  package init(rows: [AssetRow], total: Int) {
    self.rows = rows
    self.total = total
  }
}
