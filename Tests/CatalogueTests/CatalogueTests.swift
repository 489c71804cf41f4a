import Glibc
import PhotoModel
import TestSupport
import Testing

@testable import Catalogue

struct CatalogueTests {
  @Test(arguments: [11, 12, 13, 14] as [UInt64])
  func `Every answer equals a plain array's answer after any changes`(seed: UInt64) throws {
    var harness = try Harness(seed: seed)
    for round in 0..<9 {
      for _ in 0..<25 { try harness.step() }
      if round % 5 == 2 { harness.prepareOrders() }
      if round % 4 == 3 { try harness.compactWhileChanging() }
      if round % 4 == 1 { try harness.restart() }
      try harness.check()
    }
  }

  @Test(arguments: SortKey.allCases, [true, false])
  func `A walk by cursor gives unchanged rows exactly once and in order`(sort: SortKey, ascending: Bool) throws {
    var harness = try Harness(seed: 21 + UInt64(sort.rawValue))
    harness.prepareOrders()
    var query = Query()
    query.sort = sort
    query.ascending = ascending
    let before = harness.model.answer(query, access: .owner)
    var touched = Set<AssetNumber>()
    var walked: [AssetNumber] = []
    var cursor: CursorPosition?
    repeat {
      let page = try harness.catalogue.page(query, in: .owner, after: cursor, limit: 7)
      walked += page.positions.map(harness.catalogue.number)
      cursor = try page.next.map { try CursorPosition(decoding: $0.encode()) }
      for _ in 0..<3 { touched.insert(try harness.step()) }
      if walked.count % 35 == 0 { try harness.compactWhileChanging(touching: &touched) }
    } while cursor != nil
    let stayed = before.map(\.number).filter { !touched.contains($0) }
    #expect(walked.filter { number in !touched.contains(number) && stayed.contains(number) } == stayed)
    #expect(stayed.count > 20)
  }

  @Test func `R40 invisible rows change no page, cursor or count`() throws {
    var random = Rows(seed: 31)
    let rows = (0..<300).map { _ in random.next() }
    let selected = rows.filter { $0.number.rawValue % 3 == 0 }
    let catalogue = try Catalogue(rows)
    let alone = try Catalogue(selected)
    for sort in SortKey.allCases {
      var query = Query()
      query.sort = sort
      let view = View.limited(catalogue.selection(of: selected.map(\.number)))
      let viewAlone = View.limited(alone.selection(of: selected.map(\.number)))
      #expect(catalogue.count(query, in: view) == alone.count(query, in: viewAlone))
      #expect(catalogue.countByMediaType(query, in: view) == alone.countByMediaType(query, in: viewAlone))
      var cursor: CursorPosition?
      repeat {
        let page = try catalogue.page(query, in: view, after: cursor, limit: 9)
        let other = try alone.page(query, in: viewAlone, after: cursor, limit: 9)
        #expect(page.positions.map(catalogue.row) == other.positions.map(alone.row))
        #expect(page.next == other.next)
        cursor = page.next
      } while cursor != nil
    }
  }

  @Test func `R13 R45 invisible and cloud-shared assets stay out of a selection's view`() throws {
    var rows = Rows(seed: 41)
    var catalogue = Catalogue()
    let flags: [AssetFlags] = [[], .favourite, .hidden, .neverShare, .trashed, .cloudShared, .missing]
    var made: [AssetRow] = []
    for flag in flags {
      var row = rows.next()
      row.flags = flag
      try catalogue.insert(row)
      made.append(row)
    }
    let view = View.limited(catalogue.selection(of: made.map(\.number)))
    #expect(flags.indices.filter { catalogue.position(of: made[$0].identifier, in: view) != nil } == [0, 1])
    #expect(flags.indices.filter { catalogue.position(of: made[$0].identifier, in: .full()) != nil } == [0, 1, 5])
    #expect(
      flags.indices.filter { catalogue.position(of: made[$0].identifier, in: .owner) != nil } == [0, 1, 2, 3, 4, 5])
    #expect(catalogue.count == 6 && flags.indices.allSatisfy { catalogue.row(of: made[$0].number) == made[$0] })
    made[2].flags = []
    try catalogue.update(made[2])
    #expect(catalogue.count(in: view) == 3)
  }

  @Test(arguments: ["limited", "narrowed"])
  func `R40 looking up absent, deleted, missing and hidden assets takes the same work`(_ kind: String) throws {
    var rows = Rows(seed: 42)
    var made = (0..<4_000).map { _ in rows.next() }
    for index in made.indices { made[index].flags = [] }
    var catalogue = try Catalogue(made)
    let (hidden, trashed, deleted, missing, absent) = (made[0], made[1], made[2], made[3], rows.next())
    let selection = catalogue.selection(of: made.dropFirst(3).map(\.number))
    // An old layout's selection is translated at each use, which makes any difference measurable.
    let snapshot = catalogue.snapshot()
    catalogue.replace(with: snapshot.compacted())
    catalogue.remove(deleted.number)
    (made[1].flags, made[3].flags) = (.trashed, .missing)
    for index in [1, 3] { try catalogue.update(made[index]) }
    let view = kind == "limited" ? View.limited(selection) : View.full(subset: selection)
    // In turns, and in thread time: other load slows all alike.
    var times = [Int](repeating: .max, count: 5)
    for _ in 0..<40 {
      for (index, row) in [hidden, trashed, deleted, missing, absent].enumerated() {
        let start = nanosecondsOfThisThread()
        #expect(catalogue.position(of: row.identifier, in: view) == nil)
        times[index] = min(times[index], nanosecondsOfThisThread() - start)
      }
    }
    #expect((times.max() ?? 0) < (times.min() ?? 0) * 3, "\(times)")
  }

  @Test func `A number or identifier is never reused`() throws {
    var rows = Rows(seed: 51)
    var (a, b) = (rows.next(), rows.next())
    var catalogue = try Catalogue([a])
    #expect(throws: CatalogueError.duplicateNumber()) { try catalogue.insert(a) }
    b.identifier = a.identifier
    #expect(throws: CatalogueError.duplicateIdentifier()) { try catalogue.insert(b) }
    #expect(throws: CatalogueError.duplicateIdentifier()) { try Catalogue([a, b]) }
    #expect(throws: CatalogueError.duplicateNumber()) { try Catalogue([a, a]) }
    #expect(throws: CatalogueError.unknownNumber()) { try catalogue.update(b) }
    let removed = catalogue.remove(a.number)
    #expect(removed == a)
    try catalogue.insert(b)
    a.number = AssetNumber(.max)
    #expect(throws: CatalogueError.limitExceeded()) { try catalogue.insert(a) }
  }

  @Test func `A cursor of another order is refused`() throws {
    let cursor = CursorPosition(sort: .pixels, value: .integer(1), identifier: AssetIdentifier(high: 0, low: 0))
    #expect(throws: CatalogueError.foreignCursor()) {
      try Catalogue().page(Query(), in: .owner, after: cursor, limit: 1)
    }
  }

  @Test func `A file name over 255 bytes is truncated at a character`() throws {
    var row = AssetRow(
      number: AssetNumber(1), identifier: AssetIdentifier(high: 1, low: 1), addedDate: Timestamp(microseconds: 0),
      modificationDate: Timestamp(microseconds: 0))
    row.fileName = String(repeating: "é", count: 200)
    let catalogue = try Catalogue([row])
    #expect(catalogue.row(of: AssetNumber(1))?.fileName == String(repeating: "é", count: 127))
  }

  @Test func `Smart albums hold their kind`() throws {
    let now = Timestamp(microseconds: 100 * 86_400_000_000)
    var rows = Rows(seed: 61)
    var made = (0..<200).map { _ in rows.next() }
    for index in made.indices { made[index].addedDate = Timestamp(microseconds: Int64(index) * 86_400_000_000 / 2) }
    let catalogue = try Catalogue(made)
    func members(_ album: SmartAlbum, _ base: Query = Query()) throws -> Set<AssetNumber> {
      var query = base
      album.narrow(&query, now: now)
      return Set(try catalogue.page(query, in: .owner, limit: 500).positions.map(catalogue.number))
    }
    let present = made.filter { !$0.flags.contains(.missing) }
    func expected(_ test: (AssetRow) -> Bool) -> Set<AssetNumber> { Set(present.filter(test).map(\.number)) }
    #expect(try members(.favorites) == expected { $0.flags.contains(.favourite) })
    #expect(try members(.videos) == expected { $0.mediaType == .video })
    #expect(try members(.screenshots) == expected { $0.subtypes.contains(.screenshot) })
    #expect(try members(.bursts) == expected { $0.subtypes.contains(.burst) })
    #expect(try members(.livePhotos) == expected { $0.subtypes.contains(.livePhoto) })
    #expect(try members(.recentlyAdded) == expected { $0.addedDate.microseconds >= 70 * 86_400_000_000 })
    var others = Query()
    others.favourite = false
    #expect(try members(.favorites, others).isEmpty)
    others.mediaTypes = [.image]
    #expect(try members(.videos, others).isEmpty)
  }

  @Test func `Pages, counts and rows are correct beyond one chunk of positions`() throws {
    var random = SeededGenerator(71)
    let rows = (0..<70_000).map { index in
      AssetRow(
        number: AssetNumber(UInt32(index)), identifier: AssetIdentifier(high: random.next(), low: random.next()),
        creationDate: Timestamp(microseconds: Int64(random.next() % 1_000_000_000)),
        addedDate: Timestamp(microseconds: 0),
        modificationDate: Timestamp(microseconds: 0), flags: random.next() % 10 == 0 ? .favourite : [])
    }
    let catalogue = try Catalogue(rows)
    var query = Query()
    query.favourite = true
    let selected = Set(rows.map(\.number).filter { $0.rawValue % 7 == 0 })
    let view = View.limited(catalogue.selection(of: selected))
    let expected = rows.filter { $0.flags.contains(.favourite) && selected.contains($0.number) }
      .sorted { ($1.creationDate ?? $1.addedDate, $1.identifier) < ($0.creationDate ?? $0.addedDate, $0.identifier) }
    #expect(catalogue.count(query, in: view) == expected.count)
    for skip in [0, 1, 400, 900, expected.count - 1, expected.count, expected.count + 5] {
      let page = try catalogue.page(query, in: view, skip: skip, limit: 60)
      #expect(page.positions.map(catalogue.number) == Array(expected.dropFirst(skip).prefix(60)).map(\.number))
    }
  }
}

/// The processor time that this thread has used.
private func nanosecondsOfThisThread() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
