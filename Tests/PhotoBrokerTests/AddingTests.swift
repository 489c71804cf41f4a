import Foundation
import Testing

@testable import PhotoBroker

@Suite struct AddingTests {
  /// Ways to pass an asset's bytes to the library.
  enum Way: CaseIterable { case data, url, handle, pipe }

  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("adding-\(UUID().uuidString)")
  // More than one upload piece, and not a multiple of its size.
  private let bytes = Data((0..<1_300_000).map { UInt8(truncatingIfNeeded: $0 / 3) })

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  private func makeBroker(takesDescriptors: Bool) throws -> ScriptedBroker {
    try ScriptedBroker(
      takesDescriptors: takesDescriptors,
      attaching { method, _, _ in
        switch method {
        case "BeginUpload": [.reply(#"{"upload":"u"}"#)]
        case "AppendUpload": [.reply(#"{"received":1}"#)]
        default: [.reply(#"{"localIdentifier":"new"}"#)]
        }
      })
  }

  private func add(_ way: Way, to library: PhotoLibrary, onlyChecking: Bool = false) async throws -> String? {
    let url = folder.appendingPathComponent("x.jpg")
    try bytes.write(to: url)
    switch way {
    case .data:
      guard onlyChecking else { return try await library.addAsset(filename: "x.jpg", contents: bytes) }
      try await library.checkAsset(filename: "x.jpg", contents: bytes)
    case .url:
      guard onlyChecking else { return try await library.addAsset(fileURL: url) }
      try await library.checkAsset(fileURL: url)
    case .handle:
      let file = try FileHandle(forReadingFrom: url)
      // The handle's position does not matter.
      try file.seekToEnd()
      defer { try? file.close() }
      guard onlyChecking else { return try await library.addAsset(filename: "x.jpg", file: file) }
      try await library.checkAsset(filename: "x.jpg", file: file)
    case .pipe:
      let pipe = Pipe()
      let contents = bytes
      Thread.detachNewThread {
        try? pipe.fileHandleForWriting.write(contentsOf: contents)
        try? pipe.fileHandleForWriting.close()
      }
      guard onlyChecking else { return try await library.addAsset(filename: "x.jpg", file: pipe.fileHandleForReading) }
      try await library.checkAsset(filename: "x.jpg", file: pipe.fileHandleForReading)
    }
    return nil
  }

  @Test(arguments: Way.allCases)
  func `a new asset's bytes are sent by descriptor`(way: Way) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let broker = try makeBroker(takesDescriptors: true)
    #expect(try await add(way, to: makeLibrary(broker)) == "new")
    _ = try await add(way, to: makeLibrary(broker), onlyChecking: true)
    #expect(
      broker.calls("AddAsset") == [
        #"{"filename":"x.jpg","descriptor":0}"#, #"{"filename":"x.jpg","descriptor":0,"dryRun":true}"#,
      ])
    #expect(broker.handedIn == [bytes, bytes])
    #expect(broker.calls("BeginUpload").isEmpty)
  }

  @Test(arguments: Way.allCases)
  func `a new asset's bytes are sent in pieces if descriptors are refused`(way: Way) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let broker = try makeBroker(takesDescriptors: false)
    #expect(try await add(way, to: makeLibrary(broker)) == "new")
    // Before Linux 6.16 the kernel cannot refuse descriptors, and this one is sent.
    guard broker.handedIn.isEmpty else { return }
    #expect(broker.calls("AddAsset") == [#"{"filename":"x.jpg","upload":"u"}"#])
    struct Piece: Decodable {
      let upload: String
      let data: Data
    }
    let pieces = try broker.calls("AppendUpload").map { try JSONDecoder().decode(Piece.self, from: Data($0.utf8)) }
    #expect(pieces.allSatisfy { $0.upload == "u" && $0.data.count <= 524_288 })
    #expect(pieces.reduce(into: Data()) { $0.append($1.data) } == bytes)
  }

  @Test func `a file is added under a given name`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("from the camera")
    try Data([1]).write(to: url)
    let broker = try makeBroker(takesDescriptors: true)
    _ = try await makeLibrary(broker).addAsset(filename: "y.jpg", fileURL: url)
    #expect(broker.calls("AddAsset") == [#"{"filename":"y.jpg","descriptor":0}"#])
  }

  @Test
  func
    `what is no regular file is refused before anything is asked, and a pipe that nobody writes into holds up nobody`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: folder) }
    let broker = try makeBroker(takesDescriptors: true)
    let library = makeLibrary(broker)
    let pipe = folder.appendingPathComponent("pipe")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    let web = try #require(URL(string: "https://example.org/a.jpg"))
    for url in [folder, pipe, folder.appendingPathComponent("absent.jpg"), URL(fileURLWithPath: "/dev/null"), web] {
      let added = await #expect(throws: PhotoLibraryError.self) { try await library.addAsset(fileURL: url) }
      #expect(added?.code == .bytesUnavailable)
      #expect(added?.message.contains(folder.path) == false)
      let checked = await #expect(throws: PhotoLibraryError.self) { try await library.checkAsset(fileURL: url) }
      #expect(checked?.code == .bytesUnavailable)
    }
    let absent = await #expect(throws: PhotoLibraryError.self) {
      try await library.addAsset(fileURL: folder.appendingPathComponent("absent.jpg"))
    }
    #expect((absent?.cause as? POSIXError)?.code == .ENOENT)
    #expect(broker.connectionCount == 0)
  }

  @Test func `an app without add access requests it before sending a file`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let broker = try ScriptedBroker(
      takesDescriptors: true,
      attaching { method, _, _ in
        method == "RequestAuthorization"
          ? [.reply(#"{"status":"authorized","code":3,"token":"adding"}"#)] : [.reply(#"{"localIdentifier":"new"}"#)]
      })
    let store = MemoryStore(StoredTokens(app: "own", manifest: manifest.text))
    #expect(try await add(.url, to: makeLibrary(broker, store)) == "new")
    #expect(broker.calls("RequestAuthorization") == [#"{"level":"addOnly"}"#])
    #expect(store.load().grants == ["addOnly": "adding"])
    // The file's own connection is identified as the same app.
    #expect(broker.calls("Attach").last == #"{"token":"adding"}"#)
    #expect(broker.handedIn == [bytes])
  }

  @Test func `R30 an app with a reason only for reading requests read access to add`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let reading = AppManifest(
      identifier: "org.example.test", name: "Test", usageDescription: "To test.", addUsageDescription: " ")
    for (way, manifest) in [(Way.data, reading), (.url, reading), (.data, manifest)] {
      let broker = try ScriptedBroker(
        takesDescriptors: true,
        attaching { method, _, _ in
          method == "RequestAuthorization"
            ? [.reply(#"{"status":"authorized","code":3,"token":"t"}"#)] : [.reply(#"{"localIdentifier":"new"}"#)]
        })
      let store = MemoryStore(StoredTokens(app: "own", manifest: manifest.text))
      let level = manifest == reading ? "readWrite" : "addOnly"
      #expect(try await add(way, to: makeLibrary(broker, store, manifest: manifest)) == "new")
      #expect(broker.calls("RequestAuthorization") == [#"{"level":"\#(level)"}"#])
      #expect(store.load().grants == [level: "t"])
    }
  }

  @Test func `a slow addition delays no other call and ends with its task`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let broker = try ScriptedBroker(
      takesDescriptors: true,
      attaching { method, _, _ in method == "AddAsset" ? [.silence] : [.reply(#"{"status":"limited","code":4}"#)] })
    let library = makeLibrary(broker)
    let url = folder.appendingPathComponent("x.jpg")
    try bytes.write(to: url)
    let adding = Task { try await library.addAsset(fileURL: url) }
    while broker.calls("AddAsset").isEmpty { try await Task.sleep(for: .milliseconds(2)) }
    #expect(try await library.authorizationStatus(for: .readWrite) == .limited)
    adding.cancel()
    await #expect(throws: CancellationError.self) { try await adding.value }
  }
}
