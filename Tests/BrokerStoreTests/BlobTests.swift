import Broker
import Catalogue
import PhotoModel
import StoreScript
import TestSupport
import Testing

@testable import BrokerStore

/// Blobs of the database decode to the encoded values; all other bytes are refused without a trap.
@Suite struct BlobTests {
  private func pages() -> [[ChangeRecord]] {
    let key = Samples.key(1, 1)
    let grants = [nil, key, Samples.key(1, 2, .addOnly)]
    var all: [ChangeRecord] = []
    for number in UInt32(0)..<300 {
      let kind = ChangeRecord.Kind(rawValue: UInt8(number % 6) + 1) ?? .album
      var record = ChangeRecord(sequence: UInt64(number) * 3 + 1, kind: kind, grant: grants[Int(number % 3)])
      if number % 4 > 0 { record.asset = AssetNumber(UInt32.max - number) }
      if number % 3 > 0 { record.identifier = AssetIdentifier(high: .max, low: UInt64(number)) }
      if number % 5 == 0 { record.album = AlbumIdentifier(high: 0, low: 1) }
      all.append(record)
    }
    return [[], [all[1]], all]
  }

  private func blocks() -> [[LedgerRecord]] {
    var odd = Samples.entry(3)
    odd.time = Timestamp(microseconds: .min)
    odd.bytes = .max
    odd.isGap = true
    var even = odd
    even.time = Timestamp(microseconds: .max)
    even.bytes = .min
    let renditions = ["original", "metadata", ""]
    let many = (UInt64(0)..<500).map { Samples.entry($0, app: $0 % 7, rendition: renditions[Int($0 % 3)]) }
    return [[], [odd, even, odd], many]
  }

  @Test func `change pages and ledger blocks are read back unchanged`() {
    for page in pages() { #expect(ChangePage.decode(ChangePage.encode(page), of: Samples.name(1)) == page) }
    for block in blocks() { #expect(LedgerBlock.decode(LedgerBlock.encode(block)) == block) }
  }

  @Test func `a thousand selected photos take less than 22 bytes each`() {
    let records = (UInt32(0)..<1_000).map { number in
      let identifier = AssetIdentifier(high: .max, low: UInt64(number))
      return ChangeRecord(
        sequence: 70_000 + UInt64(number), kind: .selected, asset: AssetNumber(number * 60), identifier: identifier,
        grant: Samples.key(1, 1))
    }
    #expect(ChangePage.encode(records).count < 22_000)
  }

  @Test func `damaged blobs are refused or read, and never trap`() {
    var generator = SeededGenerator(7)
    let page = ChangePage.encode(pages()[2])
    let block = LedgerBlock.encode(blocks()[2])
    for length in stride(from: 0, to: page.count, by: 7) {
      _ = ChangePage.decode(Array(page[..<length]), of: Samples.name(1))
    }
    for length in 0..<block.count where length % 7 == 0 { #expect(LedgerBlock.decode(Array(block[..<length])) == nil) }
    for _ in 0..<2_000 {
      var (mutatedPage, mutatedBlock) = (page, block)
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        mutatedPage[.random(in: 0..<page.count, using: &generator)] = UInt8(truncatingIfNeeded: generator.next())
        mutatedBlock[.random(in: 0..<200, using: &generator)] = UInt8(truncatingIfNeeded: generator.next())
      }
      _ = ChangePage.decode(mutatedPage, of: Samples.name(1))
      _ = LedgerBlock.decode(mutatedBlock)
    }
    #expect(LedgerBlock.decode([1] + [UInt8](repeating: 0xff, count: 20)) == nil)
  }
}
