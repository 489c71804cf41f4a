import PhotoModel
import Testing

@testable import Catalogue

/// Libraries whose photos differ only in the offsets that came from their places.
struct PlaceTests {
  /// The library's zone is that many minutes east of UTC.
  private static let libraryZone: Int16 = 60

  /// Photos of the same local times; every third is dated by its place.
  private static func library(placeOffset: Int16, isPrepared: Bool) throws -> Catalogue {
    var random = Rows(seed: 150)
    let rows = (0..<400).map { index in
      var row = random.next()
      row.flags = []
      let isOfPlace = index % 3 == 0
      let zone = isOfPlace ? placeOffset + Int16(index % 5) * 15 : libraryZone
      row.dateOrigin = isOfPlace ? (index % 2 == 0 ? .place : .gps) : .libraryZone
      row.zoneMinutes = zone
      row.placeShiftMinutes = zone - libraryZone
      row.creationDate = Timestamp(microseconds: Int64(index * 7 % 100) * 600_000_000 - Int64(zone) * 60_000_000)
      return row
    }
    var catalogue = try Catalogue(rows.dropLast(50))
    for row in rows.suffix(50) { try catalogue.insert(row) }
    if isPrepared {
      let snapshot = catalogue.snapshot()
      catalogue.adopt(snapshot.order(by: .creationDateWithoutPlace))
    }
    #expect(catalogue.isPrepared(.creationDateWithoutPlace) == isPrepared)
    return catalogue
  }

  private static let queries: [Query] = {
    var queries: [Query] = []
    for sort in [.creationDate, .fileName] as [SortKey] {
      for ascending in [true, false] {
        for range: (Int64?, Int64?) in [(nil, nil), (20_000, nil), (nil, 30_000), (20_000, 30_000)] {
          var query = Query()
          (query.sort, query.ascending) = (sort, ascending)
          query.createdFrom = range.0.flatMap { Timestamp(seconds: $0) }
          query.createdBefore = range.1.flatMap { Timestamp(seconds: $0) }
          queries.append(query)
        }
      }
    }
    return queries
  }()

  private struct Answer: Equatable {
    var pages: [[AssetNumber]] = []
    var dates: [Timestamp?] = []
    var origins: [DateOrigin?] = []
    var cursors: [CursorPosition?] = []
    var skipped: [AssetNumber] = []
    var chosen: Set<AssetNumber> = []
    var named = 0
    var effort = 0
    var counts = MediaTypeCounts()
  }

  private func answer(_ query: Query, of catalogue: Catalogue) throws -> Answer {
    var answer = Answer()
    repeat {
      let page = try catalogue.page(query, in: .full(), after: answer.cursors.last ?? nil, limit: 30)
      answer.pages.append(page.positions.map(catalogue.number))
      let facts = catalogue.assets(page.positions).facts
      answer.dates += facts.map(\.dateWithoutPlace)
      answer.origins += facts.map(\.dateOriginWithoutPlace)
      answer.cursors.append(page.next)
    } while answer.cursors.last != .some(nil)
    answer.skipped = try catalogue.page(query, in: .full(), skip: 40, limit: 20).positions.map(catalogue.number)
    answer.chosen = Set(catalogue.numbers(in: catalogue.selection(matching: query, in: .full())))
    answer.effort = catalogue.effort(query, in: .full())
    answer.counts = catalogue.countByMediaType(query, in: .full())
    #expect(answer.chosen.count == answer.counts.total && catalogue.count(query, in: .full()) == answer.counts.total)
    var named = query
    named.identifiers = (1...90).compactMap { catalogue.row(of: AssetNumber($0))?.identifier }
    answer.named = catalogue.countByMediaType(named, in: .full()).total
    return answer
  }

  @Test(arguments: [false, true])
  func `R150 pages, cursors, counts and filters do not tell the zones of places`(_ isPrepared: Bool) throws {
    let here = try Self.library(placeOffset: 30, isPrepared: isPrepared)
    let there = try Self.library(placeOffset: 540, isPrepared: isPrepared)
    for var query in Self.queries {
      let isAboutDates = query.sort == .creationDate || query.createdFrom != nil || query.createdBefore != nil
      let areTold = try answer(query, of: here) != answer(query, of: there)
      #expect(areTold == isAboutDates, "the creation dates differ")
      query.withholdsPlaces = true
      let answers = [try answer(query, of: here), try answer(query, of: there)]
      #expect(answers[0] == answers[1])
      #expect(answers[0].origins.allSatisfy { $0 == .libraryZone })
    }
  }

  @Test func `R150 a library without photos of other zones needs no second order`() throws {
    var random = Rows(seed: 151)
    var rows = (0..<300).map { _ in random.next() }
    for index in rows.indices { rows[index].placeShiftMinutes = 0 }
    rows[0].creationDate = Timestamp(seconds: 0)
    var catalogue = try Catalogue(rows)
    var query = Query()
    query.withholdsPlaces = true
    query.createdFrom = Timestamp(seconds: 0)
    #expect(catalogue.isPrepared(query.sortKey) && catalogue.effort(query, in: .full()) == 0)
    let before = try #require(try catalogue.page(query, in: .owner, limit: 10).next)
    rows[0].placeShiftMinutes = 60
    try catalogue.update(rows[0])
    #expect(!catalogue.isPrepared(query.sortKey) && catalogue.effort(query, in: .owner) > 0)
    #expect(try !catalogue.page(query, in: .owner, after: before, limit: 10).positions.isEmpty, "cursors stay valid")
    catalogue.remove(rows[0].number)
    #expect(catalogue.isPrepared(query.sortKey))
  }

  @Test func `R150 only offsets of places are replaced, and only with a known local time`() throws {
    var random = Rows(seed: 152)
    var row = random.next()
    row.creationDate = Timestamp(seconds: 1_000)
    func told(_ origin: DateOrigin, _ zone: Int16?, _ shift: Int16) -> (Timestamp?, DateOrigin?) {
      (row.dateOrigin, row.zoneMinutes, row.placeShiftMinutes) = (origin, zone, shift)
      return (row.facts.dateWithoutPlace, row.facts.dateOriginWithoutPlace)
    }
    #expect(told(.place, 540, 480) == (Timestamp(seconds: 29_800), .libraryZone))
    #expect(told(.gps, -60, -120) == (Timestamp(seconds: -6_200), .libraryZone))
    #expect(told(.gps, nil, 0) == (Timestamp(seconds: 1_000), .gps), "a film, dated in UTC")
    for origin in DateOrigin.allCases where !origin.isOfPlace {
      #expect(told(origin, 60, 0) == (Timestamp(seconds: 1_000), origin))
    }
  }
}
