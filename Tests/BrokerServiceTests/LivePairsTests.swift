import Broker
import Catalogue
import Indexer
import PhotoModel
import Testing

@testable import BrokerService

/// Halves of Live Photos, found by a scan and known before.
struct LivePairsTests {
  private func half(_ locator: String, _ type: MediaType, number: UInt32 = 0, creator: AppIdentifier? = nil)
    -> AssetRecord
  {
    let file = ItemFile(
      role: .original, locator: locator, filename: locator, size: 100, contentVersion: "1", identityHint: nil,
      modified: Timestamp(seconds: 1_500_000_000)!)
    let facts = ItemFacts(mediaType: type, contentType: type == .image ? "image/heic" : "video/quicktime")
    var record = AssetBuilder(zone: .fixed(minutes: 0), now: Timestamp(seconds: 1_600_000_000)!)
      .record(StorageItem(primary: file, others: []), facts: facts, proof: ContentProof())
    record.livePhotoIdentifier = "pair"
    record.row.number = AssetNumber(number)
    record.creator = creator
    return record
  }

  /// The changes of a scan that found `new`, as "insert" or "update 7" with the asset's files.
  private func look(_ new: [AssetRecord], known: [AssetRecord], isBeingAddedTo: Bool = false) -> (
    done: [String], isIncomplete: Bool
  ) {
    var pairs = LivePairs()
    #expect(new.compactMap { pairs.take($0) }.isEmpty)
    let isIncomplete = pairs.leaveOut(added: KnownAssets(assets: known, isBeingAddedTo: isBeingAddedTo))
    let done = pairs.finish(known: known).map { mutation in
      func files(_ record: AssetRecord) -> String { record.resources.map(\.locator).joined(separator: " ") }
      return switch mutation {
      case .insert(let record): "insert \(files(record))"
      case .update(let record): "update \(record.row.number.rawValue) \(files(record))"
      default: "other"
      }
    }
    return (done, isIncomplete)
  }

  @Test func `R95 two known assets found to be halves become one, the still`() {
    let assets = [half("a.heic", .image, number: 7), half("a.mov", .video, number: 8)]
    var pairs = LivePairs()
    for asset in assets {
      var unknown = asset
      unknown.livePhotoIdentifier = nil
      pairs.note(asset, was: unknown)
    }
    #expect(pairs.waiting == ["pair"])
    let done = pairs.finish(known: assets)
    #expect(done.count == 2)
    guard case .update(let still) = done.first, case .remove(let video) = done.last else {
      return #expect(Bool(false), "\(done)")
    }
    #expect(still.row.number == AssetNumber(7) && still.resources.map(\.locator) == ["a.heic", "a.mov"])
    #expect(video == AssetNumber(8))
  }

  @Test func `R43 an app's addition stays separate if it is half of another app's`() {
    let assets = [half("a.heic", .image, number: 7), half("a.mov", .video, number: 8, creator: app)]
    var pairs = LivePairs()
    for asset in assets {
      var unknown = asset
      unknown.livePhotoIdentifier = nil
      pairs.note(asset, was: unknown)
    }
    #expect(pairs.finish(known: assets).isEmpty)
  }

  private let app = AppIdentifier(high: 1, low: 2)

  @Test func `R95 either known half gives the asset its identity`() {
    #expect(look([half("a.heic", .image)], known: [half("a.mov", .video, number: 7)]).done == ["update 7 a.heic a.mov"])
    #expect(look([half("a.mov", .video)], known: [half("a.heic", .image, number: 7)]).done == ["update 7 a.heic a.mov"])
  }

  @Test(arguments: [
    ["a copy.heic", "a.heic", "a.mov"], ["a.mov", "a copy.heic", "a.heic"], ["a.heic", "a.mov", "a copy.heic"],
  ])
  func `R142 of a still and its copy the one with the video's name has the video`(_ order: [String]) {
    func halves(_ number: UInt32 = 0) -> [AssetRecord] {
      order.map { half($0, $0.hasSuffix("mov") ? .video : .image, number: number) }
    }
    var pairs = LivePairs()
    let joined = halves().compactMap { pairs.take($0) }.map { $0.resources.map(\.locator) }
    #expect(joined == [["a.heic", "a.mov"]])
    #expect(pairs.finish(known: []).count == 1)
    // The pair is the same if the video comes last, and if the stills do.
    #expect(
      look([half("a.mov", .video)], known: [half("a copy.heic", .image, number: 7), half("a.heic", .image, number: 8)])
        .done
        == ["update 8 a.heic a.mov"])
  }

  @Test func `R142 halves in two folders are no pair in either order`() {
    #expect(
      look([half("one/a.heic", .image), half("two/a.mov", .video)], known: []).done == [
        "insert one/a.heic", "insert two/a.mov",
      ])
    #expect(
      look([half("two/a.mov", .video)], known: [half("one/a.heic", .image, number: 7)]).done == ["insert two/a.mov"])
  }

  @Test func `R43 an app's addition joins no half of the owner's`() {
    #expect(
      look([half("a.mov", .video)], known: [half("b.heic", .image, number: 7, creator: app)]).done == ["insert a.mov"])
    #expect(
      look([half("a.heic", .image)], known: [half("b.mov", .video, number: 7, creator: app)]).done == ["insert a.heic"])
    let known = [half("b.heic", .image, number: 7, creator: app), half("c.heic", .image, number: 8)]
    #expect(look([half("a.mov", .video)], known: known).done == ["update 8 c.heic a.mov"])
  }

  @Test func `R43 a half that an app may be adding is left for the next scan`() {
    let video = half("a.mov", .video, number: 7)
    let found = look([half("a.heic", .image)], known: [video], isBeingAddedTo: true)
    #expect(found.done.isEmpty && found.isIncomplete)
    let alone = look([half("a.heic", .image)], known: [], isBeingAddedTo: true)
    #expect(
      alone.done == ["insert a.heic"] && !alone.isIncomplete,
      "alone it shows nothing, and is the app's when that is done")
  }

  @Test func `R43 a half added by an app since it was found is not found`() {
    let found = look(
      [half("a.heic", .image)],
      known: [half("a.mov", .video, number: 7), half("a.heic", .image, number: 8, creator: app)])
    #expect(found.done.isEmpty && found.isIncomplete)
  }
}
