@testable import Catalogue
import PhotoModel
import TestSupport
import Testing

/// A decoded catalogue equals the one that its rows make, and invalid bytes do no harm.
struct KeepingTests {
  private static func rows(_ count: Int, seed: UInt64) -> [AssetRow] {
    var rows = Rows(seed: seed)
    return (0..<count).map { _ in rows.next() }
  }

  @Test(arguments: [0, 1, 255, 256, 2_047, 2_048, 2_049, 4_500])
  func `A stored catalogue equals its rows for any number of blocks`(count: Int) throws {
    let catalogue = try Catalogue(Self.rows(count, seed: UInt64(count)))
    let bytes = try #require(catalogue.encoded())
    let again = try Catalogue(decoding: Slab(copying: bytes))
    expectSame(again, catalogue)
    #expect(again.encoded() == bytes)
  }

  @Test func `A stored catalogue equals its rows beyond one chunk and with distant numbers`() throws {
    var rows = Self.rows(70_000, seed: 5)
    for index in rows.indices { rows[index].number = AssetNumber(rows[index].number.rawValue &* 97) }
    let catalogue = try Catalogue(rows)
    expectSame(try Catalogue(decoding: Slab(copying: try #require(catalogue.encoded()))), catalogue)
  }

  @Test func `A changed catalogue is compacted before it is stored and forgets removed rows`() throws {
    let rows = Self.rows(3_000, seed: 7)
    var catalogue = try Catalogue(rows.dropLast())
    try catalogue.insert(try #require(rows.last))
    catalogue.remove(rows[17].number)
    #expect(catalogue.encoded() == nil)
    let snapshot = catalogue.snapshot()
    catalogue.replace(with: snapshot.compacted())
    let again = try Catalogue(decoding: Slab(copying: try #require(catalogue.encoded())))
    expectSame(again, try Catalogue(rows.filter { $0.number != rows[17].number }))
  }

  @Test func `Truncated or garbled bytes are refused or read within their bounds`() throws {
    let bytes = try #require(try Catalogue(Self.rows(1_000, seed: 9)).encoded())
    var random = SeededGenerator(10)
    for length in [0, 1, 8, 16, bytes.count - 8, bytes.count - 1]
      + (0..<40).map({ _ in Int.random(in: 0..<bytes.count, using: &random) })
    {
      #expect(throws: CatalogueError.damagedCopy("")) {
        try Catalogue(decoding: Slab(copying: Array(bytes[..<length])))
      }
    }
    #expect(throws: CatalogueError.damagedCopy("")) {
      try Catalogue(decoding: Slab(copying: bytes + [0, 0, 0, 0, 0, 0, 0, 0]))
    }
    var refused = 0
    for _ in 0..<400 {
      var garbled = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        garbled[Int.random(in: 0..<bytes.count, using: &random)] = UInt8(truncatingIfNeeded: random.next())
      }
      do {
        let catalogue = try Catalogue(decoding: Slab(copying: garbled))
        // A debug build stops at an index out of bounds.
        for row in catalogue.allRows() { _ = catalogue.position(of: row.identifier) }
        _ = catalogue.count(Query(), in: .full())
      } catch { refused += 1 }
    }
    #expect(refused > 30)
  }
}

extension Slab {
  /// Memory of its own, aligned to eight bytes.
  convenience init(copying bytes: [UInt8]) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 8)
    memory.copyBytes(from: bytes)
    self.init(owning: UnsafeRawBufferPointer(start: memory.baseAddress, count: bytes.count)) {
      $0.baseAddress?.deallocate()
    }
  }
}

extension Catalogue {
  init(decoding slab: Slab) throws(CatalogueError) {
    var used = 0
    try self.init(decoding: slab, bytesInUse: &used)
  }

  func encoded() -> [UInt8]? {
    var bytes: [UInt8] = []
    let isWhole = withoutActuallyEscaping(
      { (piece: UnsafeRawBufferPointer) -> Bool in
        bytes += piece
        return true
      }, do: encode)
    return isWhole ? bytes : nil
  }

  func allRows() -> [AssetRow] { (0..<columns.count).map(columns.row) }
}

/// Compares all rows in order, every lookup, and every property's set.
func expectSame(_ a: Catalogue, _ b: Catalogue) {
  #expect(a.allRows() == b.allRows())
  #expect(a.count == b.count)
  for row in b.allRows() {
    #expect(
      a.position(of: row.identifier, in: .everything) == b.position(of: row.identifier, in: .everything)
        && a.position(of: row.number) == b.position(of: row.number))
  }
  for number in 0..<200 as Range<UInt32> { #expect(a.numbers[number] == b.numbers[number]) }
  #expect(a.position(of: AssetIdentifier(high: 1, low: 2)) == nil)
  #expect(a.attributes == b.attributes)
  #expect(a.isCompact && b.isCompact)
}
