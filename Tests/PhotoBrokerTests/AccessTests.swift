import Foundation
import Testing

@testable import PhotoBroker

@Suite struct AccessTests {
  private static let described = """
    {"library":"photos","level":"readWrite","status":"limited","visible":12,"expires":2500000,"paused":true,"albumPolicy":"own",\
    "verbs":["read","observe","novel"],"tokenExpires":1500000,"limits":{"pageLimit":1000,"addedAssetBytes":1073741824}}
    """

  @Test func `one call reports an app's access with every field of the wire`() async throws {
    let broker = try ScriptedBroker(attaching { _, _, _ in [.reply(Self.described)] })
    let access = try await makeLibrary(broker).describeAccess(for: .readWrite)
    #expect(broker.calls("DescribeAccess") == [#"{"level":"readWrite"}"#])
    #expect(access.library == "photos" && access.level == .readWrite && access.status == .limited)
    #expect(access.visible == 12 && access.isPaused && access.albumPolicy == "own")
    #expect(access.verbs == ["read", "observe", "novel"])
    #expect(
      access.expires == Date(timeIntervalSince1970: 2.5) && access.tokenExpires == Date(timeIntervalSince1970: 1.5))
    #expect(access.limits.values == ["pageLimit": 1_000, "addedAssetBytes": 1_073_741_824])
  }

  @Test func `access without an end has no end date, and a library is described by its name`() async throws {
    let broker = try ScriptedBroker(
      attaching { _, _, _ in
        [
          .reply(
            """
            {"library":"other","level":"addOnly","status":"authorized","visible":0,"paused":false,"albumPolicy":"none","verbs":["add"],\
            "limits":{}}
            """)
        ]
      })
    let library = PhotoLibrary(socketPath: broker.path, manifest: manifest, tokenStore: makeKnownStore(), name: "other")
    let access = try await library.describeAccess(for: .addOnly)
    #expect(broker.calls("DescribeAccess") == [#"{"level":"addOnly","library":"other"}"#])
    #expect(
      access.level == .addOnly && access.expires == nil && access.tokenExpires == nil && access.limits.values.isEmpty)
  }

  @Test func `R155 an app has a child token made for a helper`() async throws {
    let broker = try ScriptedBroker(attaching { _, _, _ in [.reply(#"{"token":"dG9r","accessor":"acc1"}"#)] })
    let library = makeLibrary(broker)
    let end = Date(timeIntervalSince1970: 2.5)
    let child = try await library.mintChildToken(for: .readWrite, name: "printer", user: 61_003, expires: end)
    #expect(child == ChildToken(text: "dG9r", accessor: "acc1"))
    _ = try await library.mintChildToken(for: .addOnly, name: "scanner")
    #expect(
      broker.calls("MintChildToken") == [
        #"{"level":"readWrite","name":"printer","uid":61003,"expires":2500000}"#,
        #"{"level":"addOnly","name":"scanner"}"#,
      ])
  }

  @Test func `an unknown app lists libraries and limits and prompts nobody`() async throws {
    let broker = try ScriptedBroker(
      attaching { method, _, _ in
        method == "ListLibraries"
          ? [.reply(#"{"libraries":["photos","scans"]}"#)] : [.reply(#"{"limits":{"pageLimit":1000}}"#)]
      })
    let library = makeLibrary(broker, MemoryStore())
    #expect(try await library.libraries() == ["photos", "scans"])
    #expect(try await library.limits() == LibraryLimits(["pageLimit": 1_000]))
    #expect(broker.calls("RequestAuthorization").isEmpty)
    #expect(broker.connectionCount == 1)
  }

  @Test func `limits have their own accessors, and others are reached by name`() {
    let limits = LibraryLimits([
      "pageLimit": 1, "defaultPageLimit": 2, "identifiers": 3, "changes": 4, "textBytes": 5, "titleBytes": 6,
      "pieceBytes": 7,
      "addedAssetBytes": 1 << 40, "addedNameBytes": 9, "thumbnailPixelsFrom": 16, "thumbnailPixels": 2_560,
      "subscriptionsPerApp": 10, "promptLifetimeSeconds": 60, "createdAssets": 12, "createdBytes": 1 << 41, "later": 11,
      "createdBytesPerApp": 13, "createdBytesPerUser": 14, "placeholderBytes": 15,
      "uploadsPerConnection": 18, "changeTokenLifetimeSeconds": 19, "picked": 20,
    ])
    #expect(limits.pageLimit == 1 && limits.defaultPageLimit == 2 && limits.identifiers == 3 && limits.changes == 4)
    #expect(
      limits.textBytes == 5 && limits.titleBytes == 6 && limits.pieceBytes == 7 && limits.addedAssetBytes == 1 << 40)
    #expect(limits.addedNameBytes == 9 && limits.subscriptionsPerApp == 10 && limits.promptLifetime == .seconds(60))
    #expect(limits.thumbnailPixels == 16...2_560)
    #expect(limits["later"] == 11 && limits["absent"] == nil && limits.values.count == 22)
    #expect(limits.createdAssets == 12 && limits.createdBytes == 1 << 41 && limits.placeholderBytes == 15)
    #expect(limits.createdBytesPerApp == 13 && limits.createdBytesPerUser == 14)
    #expect(limits.uploadsPerConnection == 18)
    #expect(limits.changeTokenLifetime == .seconds(19) && limits.picked == 20)
  }

  @Test func `an absent or invalid limit is nil`() {
    let none = LibraryLimits([:])
    #expect(
      none.pageLimit == nil && none.pieceBytes == nil && none.thumbnailPixels == nil && none.promptLifetime == nil)
    #expect(LibraryLimits(["thumbnailPixelsFrom": 17, "thumbnailPixels": 16]).thumbnailPixels == nil)
  }

  @Test func `an app that cannot wait polls until a person answers, and keeps the token`() async throws {
    let broker = try ScriptedBroker(
      attaching { method, _, times in
        switch method {
        case "RequestAuthorization":
          times < 2
            ? [.error("PromptPending", #"{"message":"m"}"#)]
            : [.reply(#"{"status":"limited","code":4,"token":"grant"}"#)]
        default: [.reply(#"{"assets":[]}"#)]
        }
      })
    let store = MemoryStore()
    let library = makeLibrary(broker, store)
    #expect(try await library.pollAuthorization(for: .readWrite) == .pending)
    #expect(store.load().grants.isEmpty)
    #expect(try await library.pollAuthorization(for: .readWrite) == .pending)
    #expect(try await library.pollAuthorization(for: .readWrite) == .decided(.limited))
    #expect(broker.calls("RequestAuthorization") == Array(repeating: #"{"level":"readWrite","wait":false}"#, count: 3))
    #expect(store.load().grants == ["readWrite": "grant"])
    // The token is valid on the connection that received it, without an Attach.
    #expect(try await Asset.fetchAssets(in: library).count == 0)
    #expect(
      broker.calls("RequestAuthorization").count == 3 && broker.connectionCount == 1 && broker.calls("Attach").isEmpty)
  }

  @Test(arguments: [AuthorizationStatus.restricted, .denied, .authorized])
  func `a poll returns an earlier decision`(status: AuthorizationStatus) async throws {
    let broker = try ScriptedBroker(
      attaching { _, _, _ in [.reply(#"{"status":"\#(status)","code":\#(status.rawValue)}"#)] })
    #expect(try await makeLibrary(broker).pollAuthorization(for: .addOnly) == .decided(status))
  }

  @Test func `a poll without a reason fails like a request, and the next call has a new connection`()
    async throws
  {
    let broker = try ScriptedBroker(
      attaching { method, _, _ in
        method == "RequestAuthorization"
          ? [.error("UsageDescriptionMissing", #"{"key":"K","message":"m"}"#), .hangUp]
          : [.reply(#"{"status":"denied","code":2}"#)]
      })
    let library = makeLibrary(broker)
    let error = await #expect(throws: PhotoLibraryError.self) { try await library.pollAuthorization(for: .readWrite) }
    #expect(error?.code == .usageDescriptionMissing(key: "K"))
    #expect(try await library.authorizationStatus(for: .readWrite) == .denied)
    #expect(broker.connectionCount == 2)
  }
}
