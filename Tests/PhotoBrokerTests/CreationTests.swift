import Foundation
import Testing

@testable import PhotoBroker

@Suite struct CreationTests {
  private let bytes = [Data([1, 2, 3]), Data((0..<600_000).map { UInt8(truncatingIfNeeded: $0 / 3) })]

  /// A broker that answers with an identifier for each placeholder.
  private func makeBroker(takesDescriptors: Bool = true) throws -> ScriptedBroker {
    try ScriptedBroker(
      takesDescriptors: takesDescriptors,
      attaching { method, parameters, times in
        switch method {
        case "BeginUpload": return [.reply(#"{"upload":"u\#(times)"}"#)]
        case "AppendUpload": return [.reply(#"{"received":1}"#)]
        default:
          let names = parameters.matches(of: #/"placeholder":"(\$[0-9]+)"/#).map { String($0.1) }
          let map = names.map { #""\#($0)":"new \#($0)""# }.joined(separator: ",")
          return [.reply(#"{"createdAlbums":["album"],"createdAssets":["a","b"],"placeholders":{\#(map)}}"#)]
        }
      })
  }

  @Test(arguments: [true, false])
  func `photos and their new album are one change, with bytes by descriptor or in pieces`(
    _ takesDescriptors: Bool
  ) async throws {
    let broker = try makeBroker(takesDescriptors: takesDescriptors)
    let library = makeLibrary(broker)
    var first = AssetCreationRequest(filename: "a.jpg", contents: bytes[0])
    (first.isFavorite, first.creationDate, first.location) = (
      true, Date(timeIntervalSince1970: 1), Location(latitude: 1, longitude: 2)
    )
    first.caption = "words"
    let second = AssetCreationRequest(filename: "b.jpg", contents: bytes[1])
    var album = AssetCollectionChangeRequest.creationRequestForAssetCollection(withTitle: "Lake")
    album.addAssets([first.placeholderForCreatedAsset, second.placeholderForCreatedAsset])
    album.moveAssets([second.placeholderForCreatedAsset], before: first.placeholderForCreatedAsset)
    let (one, other, made) = (first, second, album)
    let result = try await library.performChanges { changes in
      changes.add(one)
      changes.add(other)
      changes.add(made)
    }
    let (a, b) = (first.placeholderForCreatedAsset, second.placeholderForCreatedAsset)
    let c = try #require(album.placeholderForCreatedAssetCollection)
    #expect(Set([a, b, c]).count == 3)
    #expect(result.localIdentifier(of: a) == "new \(a.localIdentifier)" && result.createdAssets == ["a", "b"])
    #expect(result.localIdentifier(of: c) == "new \(c.localIdentifier)" && result.createdAssetCollections == ["album"])
    #expect(result.localIdentifier(of: ObjectPlaceholder()) == nil)
    // Before Linux 6.16 the kernel cannot refuse descriptors, and these are sent.
    let isHanded = !broker.handedIn.isEmpty
    func source(_ number: Int) -> String { isHanded ? #""descriptor":\#(number)"# : #""upload":"u\#(number)""# }
    let (x, y, z) = (a.localIdentifier, b.localIdentifier, c.localIdentifier)
    let wanted = """
      {"changes":[{"kind":"createAsset","favorite":true,"creationDate":1000000,"latitude":1.0,"longitude":2.0,"text":"words",\
      "placeholder":"\(x)","filename":"a.jpg",\(source(0))},{"kind":"createAsset","placeholder":"\(y)","filename":"b.jpg",\(source(1))},\
      {"kind":"createAlbum","text":"Lake","placeholder":"\(z)"},{"kind":"addToAlbum","assets":["\(x)","\(y)"],"album":"\(z)"},\
      {"kind":"moveInAlbum","assets":["\(y)"],"album":"\(z)","before":"\(x)"}]}
      """
    #expect(broker.calls("PerformChanges") == [wanted])
    if isHanded { #expect(broker.handedIn == bytes) } else { #expect(broker.calls("AppendUpload").count == 3) }
    try await library.checkChanges { $0.add(one) }
    #expect(broker.calls("PerformChanges").last?.hasSuffix(#"],"dryRun":true}"#) == true)
  }

  @Test func `an existing album is changed by its own request, as in PhotoKit`() async throws {
    let broker = try ScriptedBroker(
      attaching { method, _, _ in
        switch method {
        case "FetchAssets": [.reply(#"{"assets":[\#(asset("a")),\#(asset("b"))]}"#)]
        case "FetchAlbums":
          [.reply(#"{"albums":[{"localIdentifier":"album","title":"Lake","count":2,"canEdit":true,"version":"v7"}]}"#)]
        default: [.reply(#"{"createdAlbums":[],"createdAssets":[],"placeholders":{}}"#)]
        }
      })
    let library = makeLibrary(broker)
    let assets = try await Asset.fetchAssets(in: library).assets()
    var request = AssetCollectionChangeRequest(
      for: try #require(try await AssetCollection.fetchAssetCollections(in: library).first))
    #expect(request.placeholderForCreatedAssetCollection == nil)
    request.setTitle("Sea")
    request.removeAssets([assets[0]])
    request.moveAssets([assets[1]], before: nil)
    let made = request
    try await library.performChanges { $0.add(made) }
    #expect(
      broker.calls("PerformChanges") == [
        """
        {"changes":[{"kind":"renameAlbum","album":"album","text":"Sea"},{"kind":"removeFromAlbum","assets":["a"],"album":"album"},\
        {"kind":"moveInAlbum","assets":["b"],"album":"album"}]}
        """
      ])
  }

  @Test func `R27 creating alone requests add access, and any other step full access`() async throws {
    for createsOnly in [true, false] {
      let broker = try ScriptedBroker(
        takesDescriptors: true,
        attaching { method, _, _ in
          method == "RequestAuthorization"
            ? [.reply(#"{"status":"authorized","code":3,"token":"granted"}"#)]
            : [.reply(#"{"createdAlbums":[],"createdAssets":["a"],"placeholders":{}}"#)]
        })
      let library = makeLibrary(broker, MemoryStore(StoredTokens(app: "own", manifest: manifest.text)))
      try await library.performChanges { changes in
        changes.add(AssetCreationRequest(filename: "a.jpg", contents: bytes[0]))
        if !createsOnly { changes.createAssetCollection(withTitle: "Lake") }
      }
      #expect(broker.calls("RequestAuthorization") == [#"{"level":"\#(createsOnly ? "addOnly" : "readWrite")"}"#])
      #expect(broker.handedIn == [bytes[0]])
    }
  }

  @Test func `a caption is requested separately and may be absent`() async throws {
    let broker = try ScriptedBroker(
      attaching { method, _, times in
        method == "GetDetails"
          ? [.reply(times == 0 ? #"{"caption":"At noon"}"# : "{}")] : [.reply(#"{"assets":[\#(asset("a"))]}"#)]
      })
    let library = makeLibrary(broker)
    let photo = try #require(try await Asset.fetchAssets(in: library).firstObject)
    #expect(try await photo.fetchCaption(in: library) == "At noon")
    #expect(try await photo.fetchCaption(in: library) == nil)
    #expect(broker.calls("GetDetails") == [#"{"asset":"a"}"#, #"{"asset":"a"}"#])
  }
}
