import PhotoModel
import TestSupport
import Testing

@testable import Catalogue

struct PersistenceTests {
  private static func catalogue(_ count: UInt32) throws -> Catalogue {
    try Catalogue(
      (0..<count).map {
        AssetRow(
          number: AssetNumber($0), identifier: AssetIdentifier(high: 0, low: UInt64($0)),
          creationDate: Timestamp(microseconds: Int64($0 &* 7_919 % 1_000)), addedDate: Timestamp(microseconds: 0),
          modificationDate: Timestamp(microseconds: 0))
      })
  }

  @Test func `A stored selection is read back, whole and by chunks`() throws {
    let catalogue = try Self.catalogue(70_000)
    for members in [[], [1, 2, 66_000], Array(0..<5_000), Array(0..<65_536), Array(1..<70_000)] as [[UInt32]] {
      let selection = catalogue.selection(of: members.map(AssetNumber.init))
      let stored = catalogue.encode(selection)
      let read = try catalogue.selection(decoding: stored.reversed())
      #expect(Set(catalogue.numbers(in: read).map(\.rawValue)) == Set(members))
      for chunk in UInt32(0)...2 {
        #expect(catalogue.encode(selection, chunk: chunk) == stored.first { $0.index == chunk }?.bytes)
      }
    }
  }

  @Test func `Any other encoding is refused`() throws {
    let catalogue = try Self.catalogue(10)
    let bits = [2] + [UInt8](repeating: 0, count: 8_192)
    var refused: [[UInt8]] = [[], [0], [1], [1, 5], [1, 5, 0, 5, 0], [1, 6, 0, 5, 0], [2], bits, [3, 0], [4]]
    refused.append([2] + [UInt8](repeating: 255, count: 8_192))
    refused.append(bits + [0])
    refused.append([1] + (0...1_024).flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })
    for bytes in refused {
      #expect(throws: CatalogueError.damagedSelection("")) {
        try catalogue.selection(decoding: [SelectionChunk(index: 0, bytes: bytes)])
      }
    }
    let (good, far) = (SelectionChunk(index: 0, bytes: [1, 5, 0]), SelectionChunk(index: 65_536, bytes: [3]))
    #expect(throws: CatalogueError.damagedSelection("")) { try catalogue.selection(decoding: [good, good]) }
    #expect(throws: CatalogueError.damagedSelection("")) { try catalogue.selection(decoding: [far]) }
    #expect(catalogue.count(of: try catalogue.selection(decoding: [good])) == 1)
    var random = SeededGenerator(5)
    for _ in 0..<2_000 {
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...4, using: &random) }
      _ = try? catalogue.selection(decoding: [SelectionChunk(index: 0, bytes: bytes)])
    }
  }

  @Test func `A cursor is read back, and a damaged one is refused`() throws {
    let identifier = AssetIdentifier(high: 1 << 63, low: 2)
    let values: [(SortKey, SortValue)] = [
      (.addedDate, .integer(.min)), (.pixels, .integer(77)), (.fileName, .text([1, 255])), (.fileName, .text([])),
    ]
    for (sort, value) in values {
      let cursor = CursorPosition(sort: sort, value: value, identifier: identifier)
      #expect(try CursorPosition(decoding: cursor.encode()) == cursor)
    }
    let others = (1...9).map { AssetIdentifier(high: 0, low: $0) }
    for end in 1...9 {
      let cursor = CursorPosition(
        sort: .addedDate, value: .integer(Int64(end)), identifier: others[end - 1],
        neighbours: CursorPosition.Neighbours(in: others, end: end))
      #expect(try CursorPosition(decoding: cursor.encode()) == cursor)
    }
    let zeros = [UInt8](repeating: 0, count: 2_000)
    let many = [UInt8](repeating: 0, count: 25) + [1] + [UInt8](repeating: 0, count: 16 * 6)
    for bytes: [UInt8] in [
      [], [0], many, Array(zeros.prefix(24)), Array(zeros.prefix(27)), [9] + zeros.prefix(24), [3] + zeros,
    ] {
      #expect(throws: CatalogueError.damagedCursor()) { try CursorPosition(decoding: bytes) }
    }
  }

  @Test func `Another library's selection counts as empty`() throws {
    var other = try Self.catalogue(10)
    let selection = other.selection(of: [AssetNumber(3)])
    let catalogue = try Self.catalogue(10)
    #expect(catalogue.count(of: selection) == 0)
    other.replace(with: other.snapshot().compacted())
    #expect(catalogue.count(of: selection) == 0)
    #expect(other.count(of: selection) == 1)
  }
}
