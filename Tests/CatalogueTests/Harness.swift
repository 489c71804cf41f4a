import PhotoModel
import Testing

@testable import Catalogue

/// A catalogue and a simple model that go through the same random changes.
struct Harness {
  var rows: Rows
  var catalogue: Catalogue
  var model = Model()
  private var selection: Selection
  private var selected = Set<AssetNumber>()
  private var album: Selection
  private var members = Set<AssetNumber>()
  /// Removed assets, which may return.
  private var gone: [AssetRow] = []

  init(seed: UInt64) throws {
    rows = Rows(seed: seed)
    var loaded: [AssetRow] = []
    for _ in 0..<120 { loaded.append(rows.next()) }
    catalogue = try Catalogue(loaded)
    for row in loaded { model.rows[row.number] = row }
    selection = catalogue.emptySelection()
    album = catalogue.selection(of: loaded.prefix(60).map(\.number))
    members = Set(loaded.prefix(60).map(\.number))
  }

  /// Makes one random change; returns the number of its asset.
  @discardableResult
  mutating func step() throws -> AssetNumber {
    let existing = model.rows.keys.sorted().randomElement(using: &rows.random)
    switch (Int.random(in: 0..<10, using: &rows.random), existing) {
    case (0...2, _), (_, nil):
      let row = Bool.random(using: &rows.random) ? gone.popLast() ?? rows.next() : rows.next()
      try catalogue.insert(row)
      model.rows[row.number] = row
      return row.number
    case (3...4, let number?):
      // Translated first. A selection of an old layout would keep an asset that is removed and
      // returns.
      (selection, album) = (catalogue.current(selection), catalogue.current(album))
      let removed = catalogue.remove(number)
      #expect(removed == model.rows[number])
      if let row = model.rows.removeValue(forKey: number) { gone.append(row) }
      selected.remove(number)
      members.remove(number)
      return number
    case (5...6, let number?):
      var row = try #require(model.rows[number])
      rows.fill(&row)
      try catalogue.update(row)
      model.rows[number] = row
      return number
    case (7, let number?):
      selection = catalogue.difference(selection, catalogue.selection(of: [number]))
      selected.remove(number)
      return number
    case (_, let number?):
      selection = catalogue.union(selection, catalogue.selection(of: [number]))
      selected.insert(number)
      return number
    }
  }

  mutating func prepareOrders() {
    for key in SortKey.allCases where key != .creationDate {
      let order = catalogue.snapshot().order(by: key)
      let adopted = catalogue.adopt(order)
      #expect(adopted)
    }
  }

  mutating func compactWhileChanging() throws {
    var touched = Set<AssetNumber>()
    try compactWhileChanging(touching: &touched)
  }

  /// Changes between the snapshot and each hand-over, like those during a worker's run.
  mutating func compactWhileChanging(touching touched: inout Set<AssetNumber>) throws {
    let sorting = catalogue.snapshot()
    for _ in 0..<6 { touched.insert(try step()) }
    let compacting = catalogue.snapshot()
    for _ in 0..<6 { touched.insert(try step()) }
    let key = SortKey.allCases.filter { $0 != .creationDate }.randomElement(using: &rows.random) ?? .pixels
    let adopted = catalogue.adopt(sorting.order(by: key))
    #expect(adopted)
    for _ in 0..<6 { touched.insert(try step()) }
    let late = catalogue.snapshot()
    catalogue.replace(with: compacting.compacted())
    #expect(!catalogue.isCurrent(album))
    let adoptedLate = catalogue.adopt(late.order(by: key))
    #expect(!adoptedLate)
    album = catalogue.current(album)
    #expect(catalogue.isCurrent(album))
    #expect(catalogue.journal.changed.isEmpty)
  }

  /// Encodes and decodes the catalogue, as a restart does. The result must equal one built from the
  /// rows.
  mutating func restart() throws {
    let compacted = catalogue.snapshot()
    catalogue.replace(with: compacted.compacted())
    catalogue = try Catalogue(decoding: Slab(copying: try #require(catalogue.encoded())))
    expectSame(catalogue, try Catalogue(model.rows.values.sorted { $0.number < $1.number }))
    selection = catalogue.selection(of: selected)
    album = catalogue.selection(of: members)
  }

  mutating func check() throws {
    let present = Set(model.answer(Query(), access: .owner).map(\.number))
    #expect(catalogue.count == present.count)
    for row in model.rows.values {
      #expect(catalogue.row(of: row.number) == row)
      #expect(catalogue.position(of: row.identifier, in: .everything).map(catalogue.number) == row.number)
      #expect((catalogue.position(of: row.identifier) != nil) == present.contains(row.number))
      #expect(catalogue.contains(row.number, in: selection) == selected.contains(row.number))
    }
    #expect(Set(catalogue.numbers(in: selection)) == selected.intersection(present))
    #expect(catalogue.count(of: selection) == selected.intersection(present).count)
    #expect(catalogue.isEmpty(selection) == selected.isEmpty)
    #expect(numbers(selection) == selected)
    #expect(numbers(catalogue.intersection(selection, album)) == selected.intersection(members))
    #expect(numbers(catalogue.union(selection, album)) == selected.union(members))
    #expect(numbers(catalogue.difference(selection, album)) == selected.subtracting(members))
    for _ in 0..<40 { try checkQuery() }
  }

  private func numbers(_ selection: Selection) -> Set<AssetNumber> {
    Set(catalogue.numbers(in: selection, withMissing: true))
  }

  private mutating func checkQuery() throws {
    var query = randomQuery()
    let (access, view, subset): (Model.Access, View, Set<AssetNumber>?) =
      switch Int.random(in: 0..<5, using: &rows.random) {
      case 0: (.owner, .owner, nil)
      case 4: (.everything, .everything, nil)
      case 1: (.full, .full(), nil)
      case 2: (.full, .full(subset: album), members)
      default: (.limited(selected), .limited(selection), nil)
      }
    var inAlbum: [Set<AssetNumber>] = []
    if rows.chance(1) {
      query.members = [album]
      inAlbum = [members]
    }
    let expected = model.answer(query, access: access, subset: subset, members: inAlbum)
    #expect(catalogue.count(query, in: view) == expected.count)
    let counts = catalogue.countByMediaType(query, in: view)
    #expect(counts.total == expected.count)
    for type in MediaType.allCases { #expect(counts[type] == expected.count { $0.mediaType == type }) }
    let limit = Int.random(in: 1...40, using: &rows.random)
    let skip = Int.random(in: 0...50, using: &rows.random)
    let skipped = try catalogue.page(query, in: view, skip: skip, limit: limit)
    #expect(skipped.positions.map(catalogue.row) == Array(expected.dropFirst(skip).prefix(limit)))
    var walked: [AssetRow] = []
    var cursor: CursorPosition?
    repeat {
      let page = try catalogue.page(query, in: view, after: cursor, limit: limit)
      #expect(page.next == nil || page.positions.count == limit)
      walked += page.positions.map(catalogue.row)
      cursor = page.next
    } while cursor != nil
    #expect(walked == expected)
    let found = catalogue.selection(matching: query, in: view)
    #expect(numbers(found) == Set(expected.map(\.number)))
    let first = catalogue.selection(matching: query, in: view, limit: limit)
    #expect(numbers(first) == Set(expected.prefix(limit).map(\.number)))
  }

  private mutating func randomQuery() -> Query {
    var query = Query()
    query.sort = SortKey.allCases.randomElement(using: &rows.random) ?? .creationDate
    query.ascending = rows.chance(5)
    query.withholdsPlaces = rows.chance(5)
    let point = GeoPoint(latitudeE7: -400_000_000, longitudeE7: rows.chance(5) ? 900_000_000 : -900_000_000)
    switch Int.random(in: 0..<17, using: &rows.random) {
    case 0: query.mediaTypes = [.image]
    case 1: query.mediaTypes = rows.chance(2) ? [] : [.video, .audio]
    case 2: query.anySubtypes = [.raw, .burst]
    case 3: (query.anySubtypes, query.withoutSubtypes) = ([.hdr], [.raw, .edited])
    case 4: query.allSubtypes = [.raw, .hdr]
    case 5: query.favourite = rows.chance(5)
    case 6: query.source = rows.chance(5) ? .userLibrary : .cloudShared
    case 7: query.createdFrom = Timestamp(microseconds: Int64.random(in: -40...40, using: &rows.random) * 1_000_000)
    case 8:
      query.createdFrom = Timestamp(microseconds: -10_000_000)
      query.createdBefore = Timestamp(microseconds: Int64.random(in: -12...20, using: &rows.random) * 1_000_000)
    case 9: query.addedFrom = Timestamp(microseconds: 5_000_000)
    case 10:
      query.box = GeoBox(southWest: point, northEast: GeoPoint(latitudeE7: 700_000_000, longitudeE7: 100_000_000))
    case 11: query.place = 2
    case 12: query.text = ["IMG", "É", "SS", "zurich", "e.h", "nothing"].randomElement(using: &rows.random) ?? ""
    case 13: query.fileName = rows.chance(5) ? "Été à Zürich.heic" : "nothing"
    case 14: query.withoutFlags = rows.chance(5) ? [.favourite, .trashed] : .cloudShared
    case 15: query.withFlags = rows.chance(5) ? .favourite : [.favourite, .hidden]
    default: break
    }
    if rows.chance(1) {
      query.identifiers = model.rows.values.map(\.identifier).sorted().prefix(30) + [AssetIdentifier(high: 1, low: 2)]
    }
    return query
  }
}
