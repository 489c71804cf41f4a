import Foundation
import Testing

@testable import PhotoBroker

/// Renewed tokens, and tokens of several libraries.
@Suite struct RenewalTests {
  private static let ended = ScriptedBroker.Answer.error("TokenRefused", #"{"message":"m"}"#)
  private static let granted = ScriptedBroker.Answer.reply(#"{"status":"limited","code":4,"token":"new"}"#)

  private func named(_ name: String, _ broker: ScriptedBroker, _ store: MemoryStore) -> PhotoLibrary {
    PhotoLibrary(socketPath: broker.path, manifest: manifest, tokenStore: store, name: name)
  }

  @Test func `only a library's own tokens are attached, and others' are kept`() async throws {
    let broker = try ScriptedBroker(attaching { _, _, _ in [.reply(#"{"assets":[]}"#)] })
    let grants = [
      "readWrite a": "of a", "readWrite b": "of b", "addOnly b": "adding to b", "readWrite": "of the only one",
    ]
    let store = MemoryStore(StoredTokens(app: "own", manifest: manifest.text, grants: grants))
    _ = try await Asset.fetchAssets(in: named("a", broker, store))
    #expect(broker.calls("Attach") == [#"{"token":"own"}"#, #"{"token":"of a"}"#])
    _ = try await Asset.fetchAssets(in: named("b", broker, store))
    #expect(
      broker.calls("Attach").dropFirst(2) == [#"{"token":"own"}"#, #"{"token":"adding to b"}"#, #"{"token":"of b"}"#])
    _ = try await Asset.fetchAssets(in: makeLibrary(broker, store))
    #expect(broker.calls("Attach").dropFirst(5) == [#"{"token":"own"}"#, #"{"token":"of the only one"}"#])
    #expect(store.load().grants == grants && broker.calls("RequestAuthorization").isEmpty)
  }

  @Test func `access to one library does not extend to another, which is requested by name`() async throws {
    let broker = try ScriptedBroker(
      attaching { method, _, _ in method == "RequestAuthorization" ? [Self.granted] : [.reply(#"{"assets":[]}"#)] })
    let store = MemoryStore(StoredTokens(app: "own", manifest: manifest.text, grants: ["readWrite a": "of a"]))
    _ = try await Asset.fetchAssets(in: named("b", broker, store))
    #expect(broker.calls("RequestAuthorization") == [#"{"level":"readWrite","library":"b"}"#])
    #expect(store.load().grants == ["readWrite a": "of a", "readWrite b": "new"])
  }

  @Test(arguments: [("denied", PhotosError.Code.accessUserDenied), ("restricted", .accessRestricted)])
  func `a refused named library asks nothing of another`(status: String, code: PhotosError.Code)
    async throws
  {
    let broker = try ScriptedBroker(attaching { _, _, _ in [.reply(#"{"status":"\#(status)","code":9}"#)] })
    let library = named("b", broker, MemoryStore(StoredTokens(app: "own", manifest: manifest.text)))
    await #expect(throws: PhotosError(code, "")) {
      do { _ = try await Asset.fetchAssets(in: library) } catch let error as PhotosError {
        throw PhotosError(error.code, "")
      }
    }
    var walk = library.changes().makeAsyncIterator()
    await #expect(throws: PhotosError.self) { try await walk.next() }
    #expect(broker.calls("FetchAssets").isEmpty && broker.calls("ObserveChanges").isEmpty)
  }

  /// Operations of an app that need a token.
  enum Work: String, CaseIterable {
    case fetch, change, add, upload, create, follow, observe, choose

    func ask(_ library: PhotoLibrary) async throws {
      switch self {
      case .fetch: _ = try await Asset.fetchAssets(in: library)
      case .change:
        _ = try await library.performChanges { request in
          var change = AssetCollectionChangeRequest.creationRequestForAssetCollection(withTitle: "Empty")
          change.addAssets([])
          request.add(change)
        }
      case .add: _ = try await library.addAsset(filename: "a.jpg", contents: Data("bytes".utf8))
      case .upload:
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("renewal-\(UUID().uuidString)")
        try Data("bytes".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        _ = try await library.addAsset(filename: "a.jpg", fileURL: file)
      case .create:
        let request = AssetCreationRequest(filename: "a.jpg", contents: Data("bytes".utf8))
        _ = try await library.performChanges { $0.add(request) }
      case .follow: _ = try await library.fetchPersistentChanges(since: nil)
      case .observe:
        var walk = library.changes().makeAsyncIterator()
        _ = try await walk.next()
      case .choose: _ = try await library.presentLimitedLibraryPicker()
      }
    }
  }

  /// Methods that a broker answers from the attached token, or without one from any library.
  private static let ofAnyLibrary = [
    "FetchAssets", "CountAssets", "PerformChanges", "AddAsset", "BeginUpload", "AppendUpload", "FetchPersistentChanges",
    "ObserveChanges",
    "PresentLimitedLibraryPicker",
  ]

  private static func isRefused(_ parameters: String) -> Bool { parameters.contains("old") }

  @Test(arguments: Work.allCases)
  func `R127 a named library with a refused token at the start is never replaced by another`(
    work: Work
  ) async throws {
    let answers: [(ScriptedBroker.Answer, PhotosError.Code)] = [
      (.reply(#"{"status":"denied","code":2}"#), .accessUserDenied),
      (.reply(#"{"status":"restricted","code":1}"#), .accessRestricted),
      (.error("PhotosError", #"{"code":3201,"reason":"r","message":"m"}"#), .identifierNotFound),
    ]
    for (answer, code) in answers {
      let broker = try ScriptedBroker { method, parameters, _ in
        switch method {
        case "Attach": [Self.isRefused(parameters) ? Self.ended : .reply(#"{"app":"a"}"#)]
        case "RequestAuthorization": [answer]
        default: [.reply("{}")]
        }
      }
      let grants = ["readWrite b": "old", "addOnly b": "old too", "readWrite c": "good"]
      let store = MemoryStore(StoredTokens(app: "own", manifest: manifest.text, grants: grants))
      let error = await #expect(throws: PhotosError.self) { try await work.ask(named("b", broker, store)) }
      #expect(error?.code == code)
      #expect(Self.ofAnyLibrary.allSatisfy { broker.calls($0).isEmpty }, "it would be asked of another library")
      #expect(broker.calls("RequestAuthorization").allSatisfy { $0.contains(#""library":"b""#) })
      #expect(store.load().grants == ["readWrite c": "good"])
      broker.stop()
    }
  }

  @Test
  func `R127 a stored token for adding is not replaced by one for reading, and still adds`()
    async throws
  {
    let broker = try ScriptedBroker { method, parameters, _ in
      switch method {
      case "Attach":
        [.reply(parameters.contains("own") ? #"{"app":"a"}"# : #"{"app":"a","library":"b","level":"addOnly"}"#)]
      case "RequestAuthorization": [.reply(#"{"status":"denied","code":2}"#)]
      case "BeginUpload": [.reply(#"{"upload":"u"}"#)]
      default: [.reply(#"{"localIdentifier":"y","received":5}"#)]
      }
    }
    defer { broker.stop() }
    for grants in [["minted": "m"], ["addOnly b": "m"]] {
      let library = named("b", broker, MemoryStore(StoredTokens(app: "own", manifest: manifest.text, grants: grants)))
      let error = await #expect(throws: PhotosError.self) { try await Asset.fetchAssets(in: library) }
      #expect(error?.code == .accessUserDenied && broker.calls("FetchAssets").isEmpty)
      #expect(
        try await library.addAsset(filename: "a.jpg", contents: Data("bytes".utf8)) == "y",
        "adding is what it was minted for")
    }
  }

  @Test func `a named library's token refused at the start is replaced`() async throws {
    let broker = try ScriptedBroker { method, parameters, _ in
      switch method {
      case "Attach": [Self.isRefused(parameters) ? Self.ended : .reply(#"{"app":"a"}"#)]
      case "RequestAuthorization": [Self.granted]
      default: [.reply(#"{"assets":[\#(asset("a"))]}"#)]
      }
    }
    defer { broker.stop() }
    let store = MemoryStore(StoredTokens(app: "own", manifest: manifest.text, grants: ["readWrite b": "old"]))
    #expect(try await Asset.fetchAssets(in: named("b", broker, store)).firstObject?.localIdentifier == "a")
    #expect(broker.calls("RequestAuthorization") == [#"{"level":"readWrite","library":"b"}"#])
    #expect(store.load().grants == ["readWrite b": "new"] && broker.calls("Attach").last == #"{"token":"new"}"#)
  }

  @Test func `a minted token of another than the named library is refused each time`() async throws {
    let broker = try ScriptedBroker { method, parameters, _ in
      guard method == "Attach" else { return [.reply(#"{"assets":[]}"#)] }
      return [.reply(parameters.contains("own") ? #"{"app":"a"}"# : #"{"app":"a","library":"a","level":"readWrite"}"#)]
    }
    for app in [nil, "own"] {
      let tokens = StoredTokens(app: app, manifest: manifest.text, grants: ["minted": "of a"])
      let store = MemoryStore(tokens)
      let library = named("b", broker, store)
      for _ in 0..<2 {
        await #expect(throws: PhotoLibraryError(.tokenRefused, "")) { try await Asset.fetchAssets(in: library) }
      }
      #expect(broker.calls("FetchAssets").isEmpty)
      #expect(store.load() == tokens, "it is good where its library is named")
    }
  }

  @available(*, deprecated)
  @Test func `level-unaware calls concern the named library and say authorized`() async throws {
    let broker = try ScriptedBroker(attaching { _, _, _ in [Self.granted] })
    let library = named("b", broker, MemoryStore())
    #expect(try await library.authorizationStatus() == .authorized)
    #expect(try await library.requestAuthorization() == .authorized)
    #expect(broker.calls("GetAuthorizationStatus") == [#"{"level":"readWrite","library":"b"}"#])
    #expect(broker.calls("RequestAuthorization") == [#"{"level":"readWrite","library":"b"}"#])
  }

  /// A broker at which the stored token has ended, and a new one is available.
  private func renewing(_ method: String, _ answers: [ScriptedBroker.Answer]) throws -> ScriptedBroker {
    try ScriptedBroker(
      attaching { called, _, times in
        switch called {
        case "RequestAuthorization": [Self.granted]
        case method: times == 0 ? [Self.ended] : answers
        case "BeginUpload": [.reply(#"{"upload":"u"}"#)]
        default: [.reply(#"{"received":5}"#)]
        }
      })
  }

  @Test func `an expired token is replaced and its call repeated`() async throws {
    let broker = try renewing("FetchAssets", [.reply(#"{"assets":[\#(asset("a"))]}"#)])
    let store = makeKnownStore()
    #expect(try await Asset.fetchAssets(in: makeLibrary(broker, store)).firstObject?.localIdentifier == "a")
    #expect(broker.calls("RequestAuthorization") == [#"{"level":"readWrite"}"#])
    #expect(store.load().grants == ["readWrite": "new"])
    #expect(broker.calls("Attach").last == #"{"token":"new"}"#)
  }

  @Test func `a token expiring during a fetch is replaced as well`() async throws {
    let broker = try ScriptedBroker(
      attaching { called, _, times in
        switch (called, times) {
        case ("RequestAuthorization", _): [Self.granted]
        case ("CountAssets", _): [.reply(#"{"count":2,"images":2,"videos":0}"#)]
        case (_, 0): [.reply(#"{"assets":[\#(asset("a"))],"cursor":"next"}"#)]
        case (_, 1): [Self.ended]
        default: [.reply(#"{"assets":[\#(asset("b"))]}"#)]
        }
      })
    let result = try await Asset.fetchAssets(in: makeLibrary(broker, makeKnownStore()))
    #expect(try await result.assets().map(\.localIdentifier) == ["a", "b"])
    #expect(broker.calls("RequestAuthorization").count == 1 && broker.calls("FetchAssets").count == 3)
  }

  @Test func `a token on a separate connection is replaced as well`() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("renewal-\(UUID().uuidString)")
    try Data("bytes".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let adding = try renewing("AddAsset", [.reply(#"{"localIdentifier":"a"}"#)])
    #expect(try await makeLibrary(adding).addAsset(filename: "a.jpg", fileURL: file) == "a")
    let creating = try renewing(
      "PerformChanges", [.reply(#"{"createdAlbums":[],"createdAssets":["a"],"placeholders":{}}"#)])
    let request = try AssetCreationRequest(filename: "a.jpg", fileURL: file)
    _ = try await makeLibrary(creating).performChanges { $0.add(request) }
    let choosing = try renewing("PresentLimitedLibraryPicker", [.reply(#"{"added":["a"]}"#)])
    #expect(try await makeLibrary(choosing).presentLimitedLibraryPicker() == ["a"])
    let observing = try renewing("ObserveChanges", [.continuing(event("t1"))])
    var walk = makeLibrary(observing).changes().makeAsyncIterator()
    #expect(try await walk.next()?.changeToken == "t1")
    for broker in [adding, creating, choosing, observing] { #expect(broker.calls("RequestAuthorization").count == 1) }
  }

  @Test func `a walk fetches one token for one refusal and continues there`() async throws {
    let broker = try ScriptedBroker(
      attaching { method, _, times in
        guard method == "ObserveChanges" else { return [Self.granted] }
        switch times {
        case 0: return [.continuing(event("t1")), Self.ended]
        case 1: return [.continuing(event("t2", inserted: ["a"])), Self.ended]
        default: return [Self.ended]
        }
      })
    var walk = makeLibrary(broker).changes().makeAsyncIterator()
    #expect(try await walk.next()?.changeToken == "t1")
    #expect(try await walk.next()?.changeToken == "t2")
    await #expect(throws: PhotoLibraryError(.tokenRefused, "")) { try await walk.next() }
    #expect(try await walk.next() == nil)
    #expect(broker.calls("RequestAuthorization").count == 2)
    #expect(
      broker.calls("ObserveChanges") == [
        #"{"outlivesAccess":true}"#, #"{"since":"t1","outlivesAccess":true}"#, #"{"since":"t2","outlivesAccess":true}"#,
      ])
  }

  @Test func `after a denial, or with a minted token only, the broker's error is passed on`() async throws {
    let broker = try ScriptedBroker(
      attaching { method, _, _ in
        method == "RequestAuthorization" ? [.reply(#"{"status":"denied","code":2}"#)] : [Self.ended]
      })
    for store in [makeKnownStore(), MemoryStore(StoredTokens(grants: ["minted": "m"]))] {
      await #expect(throws: PhotoLibraryError(.tokenRefused, "")) {
        try await Asset.fetchAssets(in: makeLibrary(broker, store))
      }
    }
    #expect(broker.calls("RequestAuthorization").count == 1 && broker.calls("FetchAssets").count == 2)
  }

  @Test func `a consumed pipe is not sent again`() async throws {
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: Data("bytes".utf8))
    try pipe.fileHandleForWriting.close()
    let bytes = AssetBytes.file(try AssetFile(duplicating: pipe.fileHandleForReading))
    var all = Data()
    try bytes.forEachPiece(of: 2) { all.append($0) }
    #expect(all == Data("bytes".utf8))
    #expect(throws: PhotoLibraryError(.bytesUnavailable, "")) { try bytes.forEachPiece(of: 2) { _ in } }
  }

  @Test(arguments: [Double.nan, .infinity])
  func `an invalid place is refused before sending and removes no place`(degrees: Double)
    async throws
  {
    let broker = try ScriptedBroker(attaching { _, _, _ in [.reply("{}")] })
    let library = makeLibrary(broker)
    for location in [Location(latitude: degrees, longitude: 8), Location(latitude: 47, longitude: degrees)] {
      let name = location.latitude.isFinite ? "longitude" : "latitude"
      await #expect(throws: PhotoLibraryError(.invalidParameter(name: "changes[0].\(name)"), "")) {
        try await library.performChanges { $0.setLocation(location, for: []) }
      }
      await #expect(throws: PhotoLibraryError(.invalidParameter(name: "changes[0].\(name)"), "")) {
        try await library.checkChanges {
          var photo = AssetCreationRequest(filename: "a.jpg", contents: Data())
          photo.location = location
          $0.add(photo)
        }
      }
    }
    #expect(broker.calls("PerformChanges").isEmpty)
  }

  @Test func `stored values are returned at once while the broker is silent`() throws {
    let broker = try ScriptedBroker { _, _, _ in [.silence] }
    let keeper = TokenKeeper(manifest: manifest, store: makeKnownStore(), library: nil)
    let path = broker.path
    Thread.detachNewThread { _ = try? keeper.prepare(Wire(path: path)) }
    while broker.calls("Attach").isEmpty { usleep(1_000) }
    let told = DispatchSemaphore(value: 0)
    Thread.detachNewThread { if keeper.heldLevel(for: .readWrite) == .readWrite, keeper.isAppItself { told.signal() } }
    #expect(told.wait(timeout: .now() + 5) == .success)
    broker.stop()
  }
}
