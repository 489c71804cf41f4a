import Foundation
import Testing

@testable import PhotoBroker

@Suite struct FetchingTests {
  @Test func `assets have PhotoKit's names, and unknown words do no harm`() async throws {
    let broker = try ScriptedBroker(attaching { _, _, _ in [.reply(#"{"assets":[\#(asset("a"))]}"#)] })
    let result = try await Asset.fetchAssets(in: makeLibrary(broker))
    let first = try #require(result.firstObject)
    #expect(result.count == 1)
    #expect(first.mediaType == .unknown)
    #expect(first.mediaSubtypes == [.photoLive, MediaSubtype(rawValue: "novel")])
    #expect(first.sourceType == .typeUserLibrary)
    #expect(first.creationDate == Date(timeIntervalSince1970: 1.5))
    #expect(first.duration == 1.5)
    #expect(first.location == Location(latitude: 47.5, longitude: 8.5))
    #expect((first.pixelWidth, first.pixelHeight) == (40, 30))
  }

  @Test func `R150 a fetch tells which facts are withheld, and none if the broker names none`() async throws {
    for (told, expected) in [(#","withheld":["location","novel"]"#, Set(["location", "novel"])), ("", [])] {
      let broker = try ScriptedBroker(attaching { _, _, _ in [.reply(#"{"assets":[]\#(told)}"#)] })
      #expect(try await Asset.fetchAssets(in: makeLibrary(broker)).withheld == expected)
    }
  }

  @Test func `R167 a fetch asks for captions and albums only on request`() async throws {
    let told = #"{"assets":[\#(asset("a").dropLast()),"caption":"Lake","albums":["x"]}]}"#
    for isAsking in [false, true] {
      let broker = try ScriptedBroker(
        attaching { _, _, _ in [.reply(isAsking ? told : #"{"assets":[\#(asset("a"))]}"#)] })
      var options = FetchOptions()
      (options.includesCaptions, options.includesAlbums) = (isAsking, isAsking)
      let first = try await Asset.fetchAssets(in: makeLibrary(broker), options: options).firstObject
      #expect(first?.caption == (isAsking ? "Lake" : nil) && first?.albumIdentifiers == (isAsking ? ["x"] : nil))
      #expect(broker.calls("FetchAssets").first?.contains(#""captions":true,"albums":true"#) == isAsking)
      #expect(broker.calls("FetchAssets").first?.contains("captions") == isAsking)
    }
  }

  @Test func `an asset shared by another is marked`() async throws {
    let broker = try ScriptedBroker(
      attaching { _, _, _ in [.reply(#"{"assets":[\#(asset("a", sourceType: "cloudShared"))]}"#)] })
    #expect(try await Asset.fetchAssets(in: makeLibrary(broker)).firstObject?.sourceType == .typeCloudShared)
  }

  @Test(arguments: [
    (AssetCollectionSubtype.smartAlbumFavorites, "favorites"), (.smartAlbumVideos, "videos"),
    (.smartAlbumScreenshots, "screenshots"),
    (.smartAlbumBursts, "bursts"), (.smartAlbumLivePhotos, "livePhotos"), (.smartAlbumRecentlyAdded, "recentlyAdded"),
  ])
  func `smart albums have PhotoKit's names`(album: AssetCollectionSubtype, word: String) async throws {
    let broker = try ScriptedBroker(attaching { _, _, _ in [.reply(#"{"assets":[]}"#)] })
    var options = FetchOptions()
    options.smartAlbum = album
    _ = try await Asset.fetchAssets(in: makeLibrary(broker), options: options)
    #expect(broker.calls("FetchAssets").first?.contains(#""smartAlbum":"\#(word)""#) == true)
  }

  @Test func `an album is fetched in its own order`() async throws {
    let broker = try ScriptedBroker(
      attaching { method, _, _ in
        method == "FetchAlbums"
          ? [.reply(#"{"albums":[{"localIdentifier":"lake","title":"Lake","count":1,"canEdit":true,"version":"v7"}]}"#)]
          : [.reply(#"{"assets":[]}"#)]
      })
    let library = makeLibrary(broker)
    let album = try #require(try await AssetCollection.fetchAssetCollections(in: library).first)
    var options = FetchOptions()
    (options.sortKey, options.isAscending) = (.album, true)
    _ = try await Asset.fetchAssets(in: album, of: library, options: options)
    #expect(
      broker.calls("FetchAssets") == [#"{"options":{"album":"lake","sort":"album","ascending":true},"limit":100}"#])
  }

  @Test func `pages are fetched on demand with the same options`() async throws {
    let broker = try ScriptedBroker(
      attaching { method, parameters, _ in
        if method == "CountAssets" { return [.reply(#"{"count":3,"images":3,"videos":0}"#)] }
        return parameters.contains(#""cursor":"c1""#)
          ? [.reply(#"{"assets":[\#(asset("c"))]}"#)]
          : [.reply(#"{"assets":[\#(asset("a")),\#(asset("b"))],"cursor":"c1"}"#)]
      })
    var options = FetchOptions()
    options.pageSize = 2
    options.isFavorite = true
    options.createdFrom = Date(timeIntervalSince1970: 1)
    let result = try await Asset.fetchAssets(in: makeLibrary(broker), options: options)
    #expect(result.count == 3)
    #expect(broker.calls("FetchAssets").count == 1)
    #expect(try await result.assets().map(\.localIdentifier) == ["a", "b", "c"])
    #expect(try await result.map(\.localIdentifier).first { $0 == "b" } == "b")
    let calls = broker.calls("FetchAssets")
    #expect(calls.count == 2)
    for call in calls {
      #expect(
        call.contains(#""favorite":true"#) && call.contains(#""createdFrom":1000000"#) && call.contains(#""limit":2"#))
    }
  }

  @Test(arguments: [[:], ["addOnly": "adding"]])
  func `a fetch without access asks the person first`(grants: [String: String]) async throws {
    let broker = try ScriptedBroker(
      attaching { method, _, _ in
        method == "RequestAuthorization"
          ? [.reply(#"{"status":"limited","code":4,"token":"grant"}"#)] : [.reply(#"{"assets":[]}"#)]
      })
    #expect(try await Asset.fetchAssets(in: makeLibrary(broker, MemoryStore(StoredTokens(grants: grants)))).count == 0)
    #expect(broker.calls("RequestAuthorization").count == 1)
    #expect(broker.calls("Attach").contains(#"{"token":"grant"}"#))
  }

  @Test func `a read is repeated after a restart of the broker`() async throws {
    let broker = try ScriptedBroker(attaching { _, _, times in times == 1 ? [.hangUp] : [.reply(#"{"assets":[]}"#)] })
    let library = makeLibrary(broker)
    _ = try await Asset.fetchAssets(in: library)
    _ = try await Asset.fetchAssets(in: library)
    #expect(broker.calls("FetchAssets").count == 3)
    broker.stop()
    try broker.start()
    _ = try await Asset.fetchAssets(in: library)
    #expect(broker.calls("FetchAssets").count == 4)
  }

  @Test func `a change is never repeated, and an earlier broken connection does not count`() async throws {
    let broker = try ScriptedBroker(
      attaching { method, _, times in
        if method == "PerformChanges" {
          return times == 0 ? [.hangUp] : [.reply(#"{"createdAlbums":["x"],"createdAssets":[],"placeholders":{}}"#)]
        }
        return [.reply(#"{"assets":[\#(asset("a"))]}"#)]
      })
    let library = makeLibrary(broker)
    let photo = try #require(try await Asset.fetchAssets(in: library).firstObject)
    let error = await #expect(throws: PhotoLibraryError.self) {
      try await library.performChanges { $0.setFavorite(false, for: [photo]) }
    }
    #expect(error?.code == .connectionLost)
    #expect(broker.calls("PerformChanges").count == 1)
    _ = try await Asset.fetchAssets(in: library)
    broker.stop()
    try broker.start()
    let made = try await library.performChanges {
      $0.createAssetCollection(withTitle: "T")
      $0.setLocation(nil, for: [photo], ifUnchanged: true)
    }
    #expect(made.createdAssetCollections == ["x"])
    #expect(
      broker.calls("PerformChanges").last == """
        {"changes":[{"kind":"createAlbum","text":"T"},{"kind":"setLocation","assets":["a"],"versions":["v1"]}]}
        """)
  }
}
