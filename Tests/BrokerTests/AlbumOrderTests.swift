import Catalogue
import PhotoModel
import TestSupport
import Testing

@testable import Broker

/// Pages through an album in its own order while members are moved.
@Suite struct AlbumOrderTests {
  private static func catalogue(_ count: Int) throws -> Catalogue {
    try Catalogue(
      (1...count).map { number in
        AssetRow(
          number: AssetNumber(UInt32(number)), identifier: AssetIdentifier(high: 7, low: UInt64(number)),
          creationDate: Timestamp(microseconds: 1), addedDate: Timestamp(microseconds: 1),
          modificationDate: Timestamp(microseconds: 1),
          fileName: "\(number).jpg")
      })
  }

  /// The assets of all pages; `change` gets the last page and may move members.
  /// - Parameter pages: the largest number of pages.
  private func walk(
    _ members: [AssetNumber], in catalogue: Catalogue, ascending: Bool, limit: Int, pages: Int,
    changing change: (_ members: inout [AssetNumber], _ given: [AssetNumber]) -> Void
  ) throws -> [AssetNumber] {
    var query = Query()
    query.ascending = ascending
    var (members, walked, position) = (members, [AssetNumber](), CursorPosition?.none)
    for _ in 0..<pages {
      let page = catalogue.page(inOrderOf: members, query, view: .owner, limit: limit, after: position)
      let given = page.positions.map(catalogue.number)
      walked += given
      guard let next = page.next else { break }
      position = try CursorPosition(decoding: next.encode())
      change(&members, given)
    }
    return walked
  }

  @Test(arguments: [true, false], [1, 2, 3, 4, 5, 7])
  func `a returned member moved to the end hides no other`(_ ascending: Bool, _ limit: Int) throws {
    let catalogue = try Self.catalogue(8)
    let members = (1...8).map { AssetNumber($0) } as [AssetNumber]
    let walked = try walk(members, in: catalogue, ascending: ascending, limit: limit, pages: 16) { members, given in
      members.removeAll { given.contains($0) }
      members += given
    }
    #expect(Set(walked) == Set(members))
  }

  /// Moves fewer upcoming members than a cursor remembers, and any number of the last page's.
  @Test(arguments: [true, false], 0..<40 as Range<UInt64>)
  func `untouched members are returned despite any moves between pages`(_ ascending: Bool, _ seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let limit = Int.random(in: 1...9, using: &random)
    // Often fewer members remain than one page holds.
    let count = Int.random(in: limit + 1...2 * limit + 8, using: &random)
    let catalogue = try Self.catalogue(count)
    let members = (1...count).map { AssetNumber(UInt32($0)) }
    var touched: Set<AssetNumber> = []
    let walked = try walk(members, in: catalogue, ascending: ascending, limit: limit, pages: 400) { members, given in
      let moved = Bool.random(using: &random) ? given.count : Int.random(in: 0...given.count, using: &random)
      var moving = given.shuffled(using: &random).prefix(moved).map(\.self)
      let others = members.filter { !given.contains($0) }.shuffled(using: &random)
      moving += others.prefix(Int.random(in: 0..<CursorPosition.Neighbours.limit, using: &random))
      touched.formUnion(moving)
      members.removeAll { moving.contains($0) }
      if Bool.random(using: &random) { moving.reverse() }
      let isLast = Bool.random(using: &random)
      let place = isLast ? (ascending ? members.count : 0) : Int.random(in: 0...members.count, using: &random)
      members.insert(contentsOf: moving, at: place)
    }
    #expect(Set(members).subtracting(touched).isSubset(of: walked))
  }

  @Test(arguments: [true, false])
  func `without moves each member is returned once and in order, insertions included`(_ ascending: Bool)
    throws
  {
    let catalogue = try Self.catalogue(20)
    let members = (1...17).map { AssetNumber($0) } as [AssetNumber]
    let walked = try walk(members, in: catalogue, ascending: ascending, limit: 5, pages: 10) { _, _ in }
    #expect(walked == (ascending ? members : members.reversed()))
    let between = try walk(members, in: catalogue, ascending: ascending, limit: 5, pages: 10) { members, given in
      guard !members.contains(AssetNumber(20)), let last = members.firstIndex(of: given[4]) else { return }
      members.insert(AssetNumber(20), at: ascending ? last + 1 : last)
    }
    #expect(between.count == 18 && between[5] == AssetNumber(20))
  }
}
