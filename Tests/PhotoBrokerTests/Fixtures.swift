import Foundation

@testable import PhotoBroker

final class MemoryStore: TokenStore, @unchecked Sendable {
  private let lock = NSLock()
  private var tokens: StoredTokens

  init(_ tokens: StoredTokens = StoredTokens()) { self.tokens = tokens }

  func load() -> StoredTokens { lock.withLock { tokens } }
  func save(_ tokens: StoredTokens) { lock.withLock { self.tokens = tokens } }
}

let manifest = AppManifest(
  identifier: "org.example.test", name: "Test", usageDescription: "To test.", addUsageDescription: "To test adding.")

/// The tokens of an app with a grant.
func makeKnownStore() -> MemoryStore {
  MemoryStore(StoredTokens(app: "own", manifest: manifest.text, grants: ["readWrite": "grant"]))
}

func makeLibrary(
  _ broker: ScriptedBroker, _ store: MemoryStore = makeKnownStore(), manifest: AppManifest = manifest
) -> PhotoLibrary {
  PhotoLibrary(socketPath: broker.path, manifest: manifest, tokenStore: store)
}

/// Answers the first calls of every connection, and leaves others to `script`.
func attaching(_ script: @escaping ScriptedBroker.Script) -> ScriptedBroker.Script {
  { method, parameters, times in
    switch method {
    case "Attach": [.reply(#"{"app":"a"}"#)]
    case "Introduce": [.reply(#"{"app":"a","token":"own"}"#)]
    default: script(method, parameters, times)
    }
  }
}

func asset(_ name: String, created: Int64 = 1_500_000, mediaType: String = "hologram", sourceType: String = "novel")
  -> String
{
  """
  {"localIdentifier":"\(name)","mediaType":"\(mediaType)","mediaSubtypes":["livePhoto","novel"],"creationDate":\(created),\
  "modificationDate":2000000,"addedDate":3000000,"pixelWidth":40,"pixelHeight":30,"duration":1500,"isFavorite":true,\
  "latitude":47.5,"longitude":8.5,"filename":"\(name).jpg","sourceType":"\(sourceType)","version":"v1"}
  """
}

func event(
  _ token: String, inserted: [String] = [], status: String = "limited", resynchronize: Bool = false, away: Bool = false
) -> String {
  """
  {"event":{"changeToken":"\(token)","inserted":[\(inserted.map { asset($0) }.joined(separator: ","))],"changed":[],\
  "removed":[],"albumsChanged":false,"status":"\(status)","resynchronize":\(resynchronize),"away":\(away)}}
  """
}
