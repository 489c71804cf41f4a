import Broker
import Catalogue
import Indexer
import Monitor
import PhotoModel
import Testing

@testable import BrokerService

/// Photos that go missing many at a time from a storage without volumes.
struct MissedPhotosTests {
  private func asset(_ number: Int, _ locator: String) -> AssetRecord {
    let file = ItemFile(
      role: .original, locator: locator, filename: "x.jpg", size: 1, contentVersion: "1", identityHint: nil,
      modified: Timestamp(microseconds: 0))
    let builder = AssetBuilder(zone: .fixed(minutes: 0), now: Timestamp(microseconds: 0))
    var record = builder.record(
      StorageItem(primary: file, others: []), facts: ItemFacts(mediaType: .image, contentType: "image/jpeg"),
      proof: ContentProof(digest: [7]))
    record.row.number = AssetNumber(UInt32(number))
    return record
  }

  /// Ten photos in `a`, ten in `a/b` and twenty in `c`.
  private var known: [AssetRecord] {
    (0..<40).map { asset($0, ["a/\($0).jpg", "a/b/\($0).jpg", "c/\($0).jpg", "c/\($0).jpg"][$0 / 10]) }
  }

  private func missed(_ gone: [Int]) -> Set<UInt32> {
    Set(MissedPhotos.among(gone.map { known[$0] }, known: known).map(\.rawValue))
  }

  @Test(arguments: [
    (Array(0..<40), Array(0..<40)), (Array(10..<20), Array(10..<20)), (Array(10..<15), Array(10..<15)),
    (Array(10..<14), []),
    ([10, 11, 12], []), ([0, 1, 2, 20, 21], []), (Array(0..<10) + [20, 21], Array(0..<10)),
  ]) func `R95 a file missing with half its folder is missed, and one missing alone is gone`(
    _ gone: [Int], _ held: [Int]
  ) {
    #expect(missed(gone) == Set(held.map { UInt32($0) }))
  }

  private let one = AssetNumber(1)
  private let two = AssetNumber(2)

  @Test func `R95 a missed file counts as gone after an hour from the first time, unless it returned`() {
    var photos = MissedPhotos()
    let begin = MonotonicTime(nanoseconds: 1)
    let later = begin.advanced(by: MissedPhotos.patience)
    photos.take([one, two], isWhole: true, now: begin)
    #expect(photos.believed(now: begin).isEmpty && photos.next == later && photos.count == 2)
    photos.take([one, two], isWhole: true, now: begin.advanced(by: .seconds(1_800)))
    #expect(photos.believed(now: later) == [one, two])
    photos.take([two], isWhole: true, now: later)
    #expect(photos.believed(now: later) == [two])
    photos.take([one], isWhole: false, now: later)
    #expect(photos.believed(now: later) == [two], "a look at a folder says nothing of others")
    photos.take([], isWhole: true, now: later)
    #expect(photos.count == 0 && photos.next == nil && photos.believed(now: .never).isEmpty)
  }

  @Test
  func `R95 an owner's rescan confirms the files missed by then and no later ones`() {
    var photos = MissedPhotos()
    photos.confirm()
    photos.take([one], isWhole: true)
    #expect(photos.believed().isEmpty, "nobody knew of it yet")
    photos.confirm()
    #expect(photos.believed() == [one])
    photos.take([one, two], isWhole: true)
    #expect(photos.believed() == [one], "a look that began before")
    photos.take([], isWhole: true)
    photos.take([one], isWhole: true)
    #expect(photos.believed().isEmpty)
  }
}
