import Foundation
import Testing

@testable import PhotoBroker

@Suite struct TokenFileTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("token-file-\(UUID().uuidString)")
  private var file: TokenFile { TokenFile(url: folder.appendingPathComponent("a.token")) }

  @Test func `two simultaneous first starts introduce the app once and share a token`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let broker = try ScriptedBroker { method, _, times in
      switch method {
      case "Introduce": [.reply(#"{"app":"a","token":"own\#(times)"}"#)]
      case "Attach": [.reply(#"{"app":"a"}"#)]
      default: [.reply(#"{"status":"notDetermined","code":0}"#)]
      }
    }
    let file = file
    // Two libraries stand for two processes, which share the file alone.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let library = PhotoLibrary(socketPath: broker.path, manifest: manifest, tokenStore: file)
          _ = try await library.authorizationStatus(for: .readWrite)
        }
      }
      try await group.waitForAll()
    }
    #expect(broker.calls("Introduce").count == 1)
    #expect(Set(broker.calls("Attach")).count <= 1)
  }

  @Test func `one process's grant does not overwrite another's`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = file
    let broker = try ScriptedBroker(
      attaching { method, parameters, _ in
        let level = parameters.contains("addOnly") ? "addOnly" : "readWrite"
        return method == "RequestAuthorization"
          ? [.reply(#"{"status":"authorized","code":3,"token":"\#(level) grant"}"#)]
          : [.reply(#"{"status":"authorized","code":3}"#)]
      })
    let first = PhotoLibrary(socketPath: broker.path, manifest: manifest, tokenStore: file)
    let second = PhotoLibrary(socketPath: broker.path, manifest: manifest, tokenStore: file)
    _ = try await first.authorizationStatus(for: .readWrite)
    _ = try await second.authorizationStatus(for: .readWrite)
    _ = try await first.requestAuthorization(for: .readWrite)
    _ = try await second.requestAuthorization(for: .addOnly)
    #expect(try file.load().grants == ["readWrite": "readWrite grant", "addOnly": "addOnly grant"])
  }

  @Test func `the lock is released after a failure under it`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    struct Failure: Error {}
    #expect(throws: Failure.self) { try file.exclusively { throw Failure() } }
    var ran = false
    try file.exclusively { ran = true }
    #expect(ran)
  }
}
