import Delivery
import Foundation
import Testing

struct DiskCopiesTests {
  private let folder = NSTemporaryDirectory() + "/disk-copies-\(UInt64.random(in: .min ... .max))/library"
  private var files: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }

  /// The digest is a stand-in that differs for all bytes of these tests.
  private func copies(limitBytes: Int, keeping groups: Set<String> = ["a", "b"]) -> DiskCopies {
    let copies = DiskCopies(folder: folder) { bytes in
      [UInt8(truncatingIfNeeded: bytes.count), bytes.first ?? 0, bytes.last ?? 0]
    }
    copies.open(limitBytes: limitBytes, keeping: groups)
    return copies
  }

  private func copy(_ count: Int, of byte: UInt8 = 1) throws -> SealedCopy {
    var result: Result<SealedCopy, DeliveryError>?
    [UInt8](repeating: byte, count: count).withUnsafeBytes { raw in
      result = Result { () throws(DeliveryError) in try SealedCopy.of(raw) }
    }
    return try #require(result).get()
  }

  private func key(_ number: UInt8, _ group: String = "a") -> DiskCopies.Key {
    .init(group: group, item: UInt32(number), digest: [number, 0])
  }

  private func clean() { try? FileManager.default.removeItem(atPath: (folder as NSString).deletingLastPathComponent) }

  @Test func `a kept copy is found again, and the least recently used is evicted first`() throws {
    defer { clean() }
    let first = copies(limitBytes: 400)
    for number in UInt8(1)...4 { first.keep(try copy(100, of: number), key(number), since: first.age) }
    #expect(first.copy(key(1), limitBytes: 1_000)?.byteCount == 100)
    first.keep(try copy(100, of: 5), key(5), since: first.age)
    #expect(first.copy(key(2), limitBytes: 1_000) == nil)
    #expect(files.count == 4)
    first.keep(try copy(101), key(6), since: first.age)
    #expect(first.copy(key(6), limitBytes: 1_000) == nil, "a quarter is the largest")
    first.close()
    first.keep(try copy(10), key(7), since: first.age)
    #expect(files.count == 4)
    let second = copies(limitBytes: 400)
    let found = try #require(second.copy(key(5), limitBytes: 1_000))
    #expect(try found.withBytes { Array($0) } == [UInt8](repeating: 5, count: 100))
    _ = copies(limitBytes: 0)
    #expect(files == [])
  }

  @Test func `changed bytes are refused and erased`() throws {
    defer { clean() }
    let copies = copies(limitBytes: 400)
    copies.keep(try copy(100), key(1), since: copies.age)
    let path = folder + "/" + (try #require(files.first))
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
    #expect(copies.copy(key(1), limitBytes: 1_000) == nil)
    #expect(files == [])
  }

  @Test func `some items of a group are removed and the others stay, also on disk`() throws {
    defer { clean() }
    let copies = copies(limitBytes: 1_000)
    for (number, group) in [(UInt8(1), "a"), (2, "a"), (200, "a"), (1, "b")] {
      copies.keep(try copy(100), key(number, group), since: copies.age)
    }
    #expect(copies.items(of: "a") == [1, 2, 200] && copies.items(of: "ab").isEmpty)
    let age = copies.age
    copies.forget(group: "a", items: [2, 3])
    copies.keep(try copy(100), key(3, "a"), since: age)
    #expect(copies.items(of: "a") == [1, 200] && copies.items(of: "b") == [1])
    copies.close()
    let again = self.copies(limitBytes: 1_000, keeping: ["a", "b"])
    #expect(again.items(of: "a") == [1, 200] && again.copy(key(200), limitBytes: 1_000) != nil)
  }

  @Test func `a group is removed as a whole, unfinished copies included`() throws {
    defer { clean() }
    let copies = copies(limitBytes: 400)
    copies.keep(try copy(100), key(1, "a"), since: copies.age)
    copies.keep(try copy(100), key(1, "b"), since: copies.age)
    let age = copies.age
    copies.forget(group: "a")
    copies.keep(try copy(100), key(2, "a"), since: age)
    #expect(files.map { $0.prefix(2) } == ["b-"])
    #expect(copies.copy(key(1, "b"), limitBytes: 1_000) != nil)
    copies.keep(try copy(100), key(3, "a"), since: copies.age)
    #expect(files.count == 2)
    copies.close()
    _ = self.copies(limitBytes: 400, keeping: ["a"])
    #expect(files.map { $0.prefix(2) } == ["a-"], "whose access ended meanwhile has none")
    DiskCopies.erase(folder)
    #expect(!FileManager.default.fileExists(atPath: folder))
  }
}
