import Foundation
import Synchronization
import Testing

@testable import PhotoBroker

@Suite struct BytesTests {
  private func photo(_ library: PhotoLibrary) async throws -> Asset {
    try #require(try await Asset.fetchAssets(in: library).firstObject)
  }

  private func broker(_ script: @escaping ScriptedBroker.Script) throws -> ScriptedBroker {
    try ScriptedBroker(
      attaching { method, parameters, times in
        method == "FetchAssets" ? [.reply(#"{"assets":[\#(asset("a"))]}"#)] : script(method, parameters, times)
      })
  }

  @Test func `bytes come by descriptor`() async throws {
    let bytes = [UInt8]((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
    let broker = try broker { _, _, _ in [.file(#"{"descriptor":0,"size":200000,"contentType":"image/jpeg"}"#, bytes)] }
    let library = makeLibrary(broker)
    #expect(try await ImageManager(library: library).requestData(for: photo(library), resource: .photo) == Data(bytes))
    #expect(broker.calls("OpenResource") == [#"{"asset":"a","role":"original"}"#])
    #expect(broker.calls("ReadBytes").isEmpty)
  }

  @Test func `an oversized resource comes in pieces, and other refusals are passed on`() async throws {
    for (code, isTooLarge) in [(3306, true), (3169, false)] {
      let broker = try broker { method, _, times in
        guard method != "OpenResource" else {
          return [.error("PhotosError", #"{"code":\#(code),"reason":"r","message":"m"}"#)]
        }
        return [.reply(#"{"data":"BwcH","size":6,"version":"v","isLast":\#(times > 0)}"#)]
      }
      let library = makeLibrary(broker)
      let chosen = try await photo(library)
      if isTooLarge {
        #expect(try await ImageManager(library: library).requestData(for: chosen) == Data(repeating: 7, count: 6))
        #expect(
          broker.calls("ReadBytes") == [
            #"{"asset":"a","offset":0,"length":524288}"#, #"{"asset":"a","offset":3,"length":524288}"#,
          ])
      } else {
        await #expect(throws: PhotosError(.networkError, "m")) {
          try await ImageManager(library: library).requestData(for: chosen)
        }
        #expect(broker.calls("ReadBytes").isEmpty)
      }
    }
  }

  @Test(arguments: [
    (
      "image",
      [
        "original": "photo", "edited": "fullSizePhoto", "raw": "alternatePhoto", "pairedVideo": "pairedVideo",
        "sidecar": "sidecar",
      ]
    ),
    ("video", ["original": "video", "edited": "fullSizeVideo", "novel": "novel"]), ("audio", ["original": "audio"]),
  ])
  func `resources have PhotoKit's types and are requested by them`(mediaType: String, types: [String: String])
    async throws
  {
    let listed = types.keys.map { #"{"role":"\#($0)","filename":"f","contentType":"x/y","size":1}"# }.joined(
      separator: ",")
    let broker = try ScriptedBroker(
      attaching { method, _, _ in
        switch method {
        case "FetchAssets": [.reply(#"{"assets":[\#(asset("a", mediaType: mediaType))]}"#)]
        case "GetResources": [.reply(#"{"resources":[\#(listed)]}"#)]
        default: [.file(#"{"descriptor":0,"size":1,"contentType":"x/y"}"#, [7])]
        }
      })
    let library = makeLibrary(broker)
    let chosen = try await photo(library)
    let resources = try await AssetResource.assetResources(for: chosen, in: library)
    #expect(resources.map(\.type.rawValue) == types.keys.map { types[$0] })
    for resource in resources {
      _ = try await ImageManager(library: library).requestData(for: chosen, resource: resource.type)
    }
    #expect(broker.calls("OpenResource") == types.keys.map { #"{"asset":"a","role":"\#($0)"}"# })
  }

  @Test func `an impossible resource type is a missing resource, like an absent one`() async throws {
    let broker = try ScriptedBroker(
      attaching { _, _, _ in [.reply(#"{"assets":[\#(asset("a", mediaType: "video"))]}"#)] })
    let library = makeLibrary(broker)
    let chosen = try await photo(library)
    let images = ImageManager(library: library)
    for type in [AssetResourceType.photo, .fullSizePhoto, .audio, .init(rawValue: "original")] {
      let missing = PhotosError.Code.missingResource
      #expect(
        await #expect(throws: PhotosError.self) { try await images.requestData(for: chosen, resource: type) }?.code
          == missing)
      #expect(
        await #expect(throws: PhotosError.self) { try await images.requestFile(for: chosen, resource: type) }?.code
          == missing)
      #expect(
        await #expect(throws: PhotosError.self) { try await images.requestData(for: chosen, resource: type) { _ in } }?
          .code == missing)
    }
  }

  @Test func `a descriptor shorter than stated is refused`() async throws {
    let broker = try broker { _, _, _ in
      [.file(#"{"descriptor":0,"size":9000000000000,"contentType":"image/jpeg"}"#, [1, 2])]
    }
    let library = makeLibrary(broker)
    let asset = try await photo(library)
    let error = await #expect(throws: PhotoLibraryError.self) {
      try await ImageManager(library: library).requestData(for: asset)
    }
    #expect(error?.code == .bytesUnavailable)
  }

  @Test func `bytes come in pieces without descriptors`() async throws {
    let broker = try broker { method, parameters, _ in
      if method == "OpenResource" { return [.reply(#"{"descriptor":0,"size":4,"contentType":"image/jpeg"}"#)] }
      return parameters.contains(#""offset":0"#)
        ? [.reply(#"{"data":"AQID","size":4,"isLast":false}"#)] : [.reply(#"{"data":"BA==","size":4,"isLast":true}"#)]
    }
    let library = makeLibrary(broker)
    #expect(try await ImageManager(library: library).requestData(for: photo(library)) == Data([1, 2, 3, 4]))
    #expect(broker.calls("ReadBytes").last?.contains(#""offset":3"#) == true)
  }

  @Test func `pictures come by descriptor, or inline without descriptors`() async throws {
    let broker = try broker { _, parameters, times in
      parameters.contains("inline")
        ? [.reply(#"{"data":"AQID","size":3,"contentType":"image/jpeg"}"#)]
        : times == 0
          ? [.file(#"{"descriptor":0,"size":2,"contentType":"image/jpeg"}"#, [9, 8])]
          : [.reply(#"{"descriptor":0,"size":3,"contentType":"image/jpeg"}"#)]
    }
    let library = makeLibrary(broker)
    let asset = try await photo(library)
    #expect(try await ImageManager(library: library).requestImageData(for: asset, maxPixels: 9_999) == Data([9, 8]))
    #expect(try await ImageManager(library: library).requestImageData(for: asset, maxPixels: 64) == Data([1, 2, 3]))
    #expect(broker.calls("GetThumbnail").first == #"{"asset":"a","maxPixels":2560}"#)
  }

  @Test func `tokens are stored in a file that only the app reads`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pb-" + UUID().uuidString.prefix(8))
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = TokenFile(url: folder.appendingPathComponent("state/a.token"))
    #expect(try file.load() == StoredTokens())
    let tokens = StoredTokens(app: "secret", manifest: "{}", grants: ["readWrite": "other"])
    try file.save(StoredTokens(app: "first"))
    try file.save(tokens)
    #expect(try file.load() == tokens)
    var facts = stat()
    #expect(stat(file.url.path, &facts) == 0 && facts.st_mode & 0o7777 == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/state") == ["a.token"])
    try Data("minted-token\n".utf8).write(to: file.url)
    #expect(try file.load().grants == ["minted": "minted-token"])
  }
}
