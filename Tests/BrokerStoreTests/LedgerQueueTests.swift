import Broker
import PhotoModel
import StoreScript
import Testing

@testable import BrokerStore

/// R139: repeated reads of one asset do not displace other entries.
@Suite struct LedgerQueueTests {
  private func entry(_ asset: UInt64, _ bytes: Int64 = 1, _ rendition: String = "original", app: UInt64 = 1)
    -> LedgerQueue.Entry
  {
    let record = LedgerRecord(
      time: Samples.time(1), app: Samples.app(app), accessor: Samples.accessor(app),
      asset: AssetIdentifier(high: 0, low: asset),
      rendition: rendition, bytes: bytes)
    return LedgerQueue.Entry(library: Samples.name(1), record: record)
  }

  @Test func `R139 many entries of a kind become few with the total bytes`() {
    let queue = LedgerQueue()
    for _ in 0..<1_000 { _ = queue.append(entry(1)) }
    _ = queue.append(entry(2))
    _ = queue.append(entry(1, 7, "thumbnail"))
    _ = queue.append(entry(1, 7, app: 2))
    for _ in 0..<1_000 { _ = queue.append(entry(1)) }
    let written = queue.take()
    #expect(written.count == LedgerQueue.repeats + 3 && written.reduce(0) { $0 + $1.record.bytes } == 2_000 + 1 + 7 + 7)
    #expect(queue.isEmpty && queue.take().isEmpty)
  }

  @Test func `R139 taken or returned entries get nothing added`() {
    let queue = LedgerQueue()
    for _ in 0..<10 { _ = queue.append(entry(1)) }
    let first = queue.take()
    for _ in 0..<10 { _ = queue.append(entry(1)) }
    #expect(queue.take().reduce(0) { $0 + $1.record.bytes } == 10)
    queue.putBack(first)
    queue.noteWritten()
    for _ in 0..<10 { _ = queue.append(entry(1)) }
    var all: [LedgerQueue.Entry] = []
    while !queue.isEmpty { all += queue.take() }
    #expect(
      all.reduce(0) { $0 + $1.record.bytes } == 20
        && all.prefix(first.count).map(\.record.bytes) == first.map(\.record.bytes))
  }

  @Test func `R139 entries of a full piece stay unchanged`() {
    let queue = LedgerQueue()
    for asset in 0..<UInt64(LedgerQueue.piece) { _ = queue.append(entry(asset)) }
    for _ in 0..<10 { _ = queue.append(entry(0)) }
    #expect(queue.take().allSatisfy { $0.record.bytes == 1 })
    #expect(queue.take().reduce(0) { $0 + $1.record.bytes } == 10)
  }
}
