import Foundation
import Testing

@testable import PhotoBroker

@Suite struct ChangeRequestTests {
  private static let album = #"{"localIdentifier":"album","title":"Lake","count":2,"canEdit":true,"version":"v7"}"#

  private func makeBroker() throws -> ScriptedBroker {
    try ScriptedBroker(
      attaching { method, _, _ in
        switch method {
        case "FetchAssets": [.reply(#"{"assets":[\#(asset("a")),\#(asset("b"))]}"#)]
        case "FetchAlbums": [.reply(#"{"albums":[\#(Self.album)]}"#)]
        default: [.reply(#"{"createdAlbums":[],"createdAssets":[],"placeholders":{}}"#)]
        }
      })
  }

  /// Every step of a change request, with its form on the wire.
  private static let steps: [(wire: String, add: @Sendable (inout ChangeRequest, [Asset], AssetCollection) -> Void)] = [
    (
      #"{"kind":"setFavorite","assets":["a","b"],"favorite":true}"#,
      { request, assets, _ in request.setFavorite(true, for: assets) }
    ),
    (
      #"{"kind":"setFavorite","assets":["a"],"versions":["v1"],"favorite":false}"#,
      { request, assets, _ in request.setFavorite(false, for: [assets[0]], ifUnchanged: true) }
    ),
    (
      #"{"kind":"setCreationDate","assets":["b"],"creationDate":-1500000}"#,
      { request, assets, _ in request.setCreationDate(Date(timeIntervalSince1970: -1.5), for: [assets[1]]) }
    ),
    (
      #"{"kind":"setCreationDate","assets":["a","b"],"versions":["v1","v1"],"creationDate":0}"#,
      { request, assets, _ in request.setCreationDate(Date(timeIntervalSince1970: 0), for: assets, ifUnchanged: true) }
    ),
    (
      #"{"kind":"setLocation","assets":["a"],"latitude":47.5,"longitude":-8.5}"#,
      { request, assets, _ in request.setLocation(Location(latitude: 47.5, longitude: -8.5), for: [assets[0]]) }
    ),
    (
      #"{"kind":"setLocation","assets":["a"],"versions":["v1"]}"#,
      { request, assets, _ in request.setLocation(nil, for: [assets[0]], ifUnchanged: true) }
    ),
    (
      #"{"kind":"setCaption","assets":["a"],"versions":["v1"],"text":"Noon"}"#,
      { request, assets, _ in request.setCaption("Noon", for: [assets[0]], ifUnchanged: true) }
    ),
    (#"{"kind":"delete","assets":["a","b"]}"#, { request, assets, _ in request.deleteAssets(assets) }),
    (
      #"{"kind":"delete","assets":["b"],"versions":["v1"]}"#,
      { request, assets, _ in request.deleteAssets([assets[1]], ifUnchanged: true) }
    ),
    (#"{"kind":"createAlbum","text":"Lake"}"#, { request, _, _ in request.createAssetCollection(withTitle: "Lake") }),
    (
      #"{"kind":"renameAlbum","album":"album","text":"Sea"}"#,
      { request, _, album in request.setTitle("Sea", of: album) }
    ),
    (
      #"{"kind":"addToAlbum","assets":["a","b"],"album":"album"}"#,
      { request, assets, album in request.addAssets(assets, to: album.localIdentifier) }
    ),
    (
      #"{"kind":"removeFromAlbum","assets":["b"],"album":"album"}"#,
      { request, assets, album in request.removeAssets([assets[1]], from: album.localIdentifier) }
    ),
    (
      #"{"kind":"moveInAlbum","assets":["b"],"album":"album","before":"a"}"#,
      { request, assets, album in request.moveAssets([assets[1]], in: album.localIdentifier, before: assets[0]) }
    ),
    (
      #"{"kind":"moveInAlbum","assets":["a"],"album":"album"}"#,
      { request, assets, album in request.moveAssets([assets[0]], in: album.localIdentifier, before: nil) }
    ),
    (#"{"kind":"deleteAlbum","album":"album"}"#, { request, _, album in request.deleteAssetCollection(album) }),
    (
      #"{"kind":"deleteAlbum","album":"album","albumVersion":"v7"}"#,
      { request, _, album in request.deleteAssetCollection(album, ifUnchanged: true) }
    ),
    (
      #"{"kind":"renameAlbum","album":"album","albumVersion":"v7","text":"Sea"}"#,
      { request, _, album in request.setTitle("Sea", of: album, ifUnchanged: true) }
    ),
    (
      #"{"kind":"addToAlbum","assets":["a","b"],"album":"album","albumVersion":"v7"}"#,
      { request, assets, album in
        var change = AssetCollectionChangeRequest(for: album, ifUnchanged: true)
        change.addAssets(assets)
        request.add(change)
      }
    ),
  ]

  @Test func `an empty list of assets changes nothing`() async throws {
    let broker = try makeBroker()
    let library = makeLibrary(broker)
    let album = try #require(try await AssetCollection.fetchAssetCollections(in: library).first)
    let all: @Sendable (inout ChangeRequest) -> Void = { request in
      request.deleteAssets([])
      request.setFavorite(true, for: [])
      request.addAssets([], to: album.localIdentifier)
      var change = AssetCollectionChangeRequest(for: album)
      change.removeAssets([])
      request.add(change)
    }
    try await library.checkChanges(all)
    #expect(try await library.performChanges(all) == ChangeResult())
    #expect(broker.calls("PerformChanges").isEmpty)
    try await library.performChanges { request in
      var change = AssetCollectionChangeRequest.creationRequestForAssetCollection(withTitle: "Empty")
      change.addAssets([])
      all(&request)
      request.add(change)
    }
    let call = try #require(broker.calls("PerformChanges").first)
    #expect(
      call.contains(#""kind":"createAlbum""#) && !call.contains("addToAlbum") && !call.contains(#""kind":"delete""#))
  }

  @Test(arguments: steps.indices)
  func `every step of a change has its name on the wire`(number: Int) async throws {
    let broker = try makeBroker()
    let library = makeLibrary(broker)
    let assets = try await Asset.fetchAssets(in: library).assets()
    let album = try #require(try await AssetCollection.fetchAssetCollections(in: library).first)
    let step = Self.steps[number]
    try await library.checkChanges { step.add(&$0, assets, album) }
    try await library.performChanges { step.add(&$0, assets, album) }
    #expect(
      broker.calls("PerformChanges") == [
        #"{"changes":[\#(step.wire)],"dryRun":true}"#, #"{"changes":[\#(step.wire)]}"#,
      ])
  }

  @Test func `the steps of one change are sent together and in order, and no steps are not sent`() async throws {
    let broker = try makeBroker()
    let library = makeLibrary(broker)
    let assets = try await Asset.fetchAssets(in: library).assets()
    let album = try #require(try await AssetCollection.fetchAssetCollections(in: library).first)
    try await library.performChanges { request in for step in Self.steps { step.add(&request, assets, album) } }
    #expect(broker.calls("PerformChanges") == [#"{"changes":[\#(Self.steps.map(\.wire).joined(separator: ","))]}"#])
    #expect(try await library.performChanges { _ in } == ChangeResult())
    try await library.checkChanges { _ in }
    #expect(broker.calls("PerformChanges").count == 1)
  }

  @Test func `a view's versions come in pages and show fetches and removals`() async throws {
    let broker = try ScriptedBroker(
      attaching { _, parameters, _ in
        parameters == "{}"
          ? [.reply(#"{"localIdentifiers":["c","a"],"versions":["v1","v2"],"changeToken":"before","cursor":"next"}"#)]
          : [.reply(#"{"localIdentifiers":["b"],"versions":["v3"]}"#)]
      })
    let view = try await makeLibrary(broker).fetchVersions()
    #expect(broker.calls("FetchVersions") == ["{}", #"{"cursor":"next"}"#])
    #expect(view.versions == ["a": "v2", "b": "v3", "c": "v1"])
    #expect(view.changeToken == "before", "that of the first page, from before all of them")
    let known = ["a": "v2", "b": "v2", "y": "v1", "x": "v1"]
    #expect(view.stale(comparedWith: known) == ["b", "c"])
    #expect(view.removed(comparedWith: known) == ["x", "y"])
  }

  @Test func `an attenuated token's versions come without a change token`() async throws {
    let broker = try ScriptedBroker(attaching { _, _, _ in [.reply(#"{"localIdentifiers":["a"],"versions":["v1"]}"#)] })
    let view = try await makeLibrary(broker).fetchVersions()
    #expect(view.versions == ["a": "v1"] && view.changeToken.isEmpty)
  }
}
