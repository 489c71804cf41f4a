import BrokerInterface
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PhotoBroker

@Suite struct PickerTests {
  private func result(_ identifier: String?, hasItem: Bool) -> PickerResult {
    PickerResult(
      assetIdentifier: identifier,
      item: hasItem
        ? PickerItem(
          "item", .init(filename: "new.jpg", mediaType: "image", pixelWidth: 1, pixelHeight: 1),
          on: Line { throw CancellationError() })
        : nil)
  }

  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
  func `R90 earlier picked items are kept by identifier, and deselected ones are gone`(seed: UInt64) {
    var generator = SeededGenerator(seed)
    for _ in 0..<100 {
      let names = (0..<8).map { "asset \($0)" }
      let earlier = names.shuffled(using: &generator).prefix(Int.random(in: 0...8, using: &generator)).map {
        result($0, hasItem: .random(using: &generator))
      }
      let later = names.shuffled(using: &generator).prefix(Int.random(in: 0...8, using: &generator)).map {
        result($0, hasItem: .random(using: &generator))
      }
      let merged = later.merging(earlier)
      #expect(
        merged.map(\.assetIdentifier) == later.map(\.assetIdentifier),
        "what is selected, and its order, is the later one's")
      for (merged, new) in zip(merged, later) {
        let old = earlier.first { $0.assetIdentifier == new.assetIdentifier }
        #expect(merged.item === (new.item ?? old?.item))
      }
      #expect(
        merged.merging(earlier).map { $0.item.map(ObjectIdentifier.init) }
          == merged.map { $0.item.map(ObjectIdentifier.init) },
        "once more changes nothing")
    }
  }

  @Test func `a picker opens with its configuration in PhotoKit's names`() async throws {
    let broker = try ScriptedBroker(attaching { _, _, _ in [.reply(#"{"results":[],"cancelled":true}"#)] })
    let library = makeLibrary(broker)
    var configuration = PickerConfiguration()
    #expect(try await library.presentPicker(configuration).isCancelled)
    configuration.selectionLimit = 0
    configuration.filter = .videos
    configuration.selection = .ordered
    configuration.givesIdentifiers = true
    configuration.preselectedAssetIdentifiers = ["a"]
    _ = try await library.presentPicker(configuration)
    configuration.filter = .any(of: [.videos, .images])
    _ = try await library.presentPicker(configuration)
    let calls = broker.calls("Present")
    #expect(calls[0] == #"{"identifiers":false,"selectionLimit":1,"ordered":false}"#)
    #expect(
      calls[1] == #"{"identifiers":true,"selectionLimit":0,"mediaTypes":["video"],"ordered":true,"preselected":["a"]}"#)
    #expect(calls[2].contains(#""mediaTypes":["image","video"]"#))
  }

  @Test func `an item too large for a descriptor comes in pieces`() async throws {
    let broker = try ScriptedBroker(
      attaching { method, parameters, _ in
        switch method {
        case "Present":
          [
            .reply(
              #"{"results":[{"item":"i","filename":"a.mov","mediaType":"video","pixelWidth":1,"pixelHeight":1}],"cancelled":false}"#
            )
          ]
        case "LoadItem": [.error("PhotosError", #"{"code":3306,"reason":"requestNotSupportedForAsset","message":"m"}"#)]
        default:
          [
            .reply(
              parameters.contains(#""offset":0"#)
                ? #"{"data":"AQ==","isLast":false}"# : #"{"data":"Ag==","isLast":true}"#)
          ]
        }
      })
    let item = try #require(try await makeLibrary(broker).presentPicker().results.first?.item)
    let told = Mutex<[Double]>([])
    #expect(try await item.loadData { part in told.withLock { $0.append(part) } } == Data([1, 2]))
    #expect(
      broker.calls("ReadItem") == [
        #"{"item":"i","offset":0,"length":524288}"#, #"{"item":"i","offset":1,"length":524288}"#,
      ])
    #expect(told.withLock { $0 } == [1])
  }

  @Test func `results without identifiers stay unchanged`() {
    let one = result(nil, hasItem: true)
    #expect([one].merging([result("a", hasItem: true)]).map { $0.item === one.item } == [true])
    #expect([result(nil, hasItem: false)].merging([result(nil, hasItem: true)]).first?.item == nil)
  }
}
