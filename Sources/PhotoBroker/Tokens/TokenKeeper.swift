import BrokerInterface
import Synchronization

/// The app's tokens while it runs: introduces the app once, and makes each connection the app's.
final class TokenKeeper: Sendable {
  private let manifest: AppManifest
  private let store: any TokenStore
  private let tokens = Mutex<StoredTokens?>(nil)

  init(manifest: AppManifest, store: any TokenStore) {
    self.manifest = manifest
    self.store = store
  }

  /// Whether a token is held that may grant this access. Adding is part of reading and writing; a minted token's level is
  /// the broker's to know.
  func holdsGrant(for level: AccessLevel) -> Bool {
    let names = (try? withTokens { Array($0.grants.keys) }) ?? []
    return names.contains { level == .addOnly || $0 == "minted" || $0.hasPrefix(AccessLevel.readWrite.rawValue) }
  }

  /// Adding is requested as reading and writing by an app whose manifest gives a reason for that alone.
  func levelToRequest(for level: AccessLevel) -> AccessLevel {
    level == .addOnly && !manifest.describes(.addOnly) && manifest.describes(.readWrite) ? .readWrite : level
  }

  /// Attaches what is held and was not attached here yet; introduces the app first where it has no token.
  ///
  /// A grant's token that is refused has ended: it is forgotten, and the app is told when it needs the access.
  /// - Throws: `tokenRefused` for the app's own token, `tokenStoreFailed`, and what the connection throws.
  func prepare(_ wire: Wire) throws {
    // The lock is held over the calls: two connections must not introduce the app twice.
    try withTokens { tokens in
      if let app = tokens.app { try attachOwn(app, wire) }
      // A minted token is all that its holder was given: it names the app as well.
      let isOnlyMinted = tokens.app == nil && tokens.grants["minted"] != nil
      if !isOnlyMinted, tokens.app == nil || tokens.manifest != manifest.text { try introduce(wire, &tokens) }
      for (name, token) in tokens.grants.sorted(by: { $0.key < $1.key }) {
        do {
          try wire.attach(token)
        } catch let error as PhotoLibraryError where error.code == .tokenRefused && !isOnlyMinted {
          // Another process may have got a new one meanwhile.
          try keep(&tokens) { if $0.grants[name] == token { $0.grants[name] = nil } }
        }
      }
    }
  }

  /// Keeps the token that a request for access delivered on `wire`.
  func keep(_ token: String, for level: AccessLevel, library: String?, on wire: Wire) throws {
    wire.noteAttached(token)
    try withTokens { tokens in
      try keep(&tokens) { $0.grants[library.map { "\(level.rawValue) \($0)" } ?? level.rawValue] = token }
    }
  }

  /// Introduces the app, unless another process of it has just done so.
  private func introduce(_ wire: Wire, _ tokens: inout StoredTokens) throws {
    try exclusively {
      if tokens.app == nil, let stored = try? store.load(), let app = stored.app {
        tokens = stored
        try attachOwn(app, wire)
        if stored.manifest == manifest.text { return }
      }
      let answer = try wire.call(Library.Introduce.self, .init(manifest: manifest.json))
      wire.noteAttached(answer.token)
      (tokens.app, tokens.manifest) = (answer.token, manifest.text)
      try save(tokens)
    }
  }

  private func attachOwn(_ token: String, _ wire: Wire) throws {
    do {
      try wire.attach(token)
    } catch let error as PhotoLibraryError where error.code == .tokenRefused {
      // Not introduced anew: an owner who removed the app must not find it back under another token.
      throw PhotoLibraryError(
        .tokenRefused, "The broker does not know this app any more; remove its token file to introduce it as a new app.",
        cause: error)
    }
  }

  /// Makes a change to what the store has, in which another process may have put a token meanwhile.
  private func keep(_ tokens: inout StoredTokens, _ change: (inout StoredTokens) -> Void) throws {
    let before = tokens
    // In memory first: the tokens are good even where they cannot be kept.
    change(&tokens)
    guard tokens != before else { return }
    try exclusively {
      if var stored = try? store.load(), stored.app == tokens.app {
        change(&stored)
        tokens = stored
      }
      try save(tokens)
    }
  }

  private func exclusively(_ body: () throws -> Void) throws {
    do {
      try store.exclusively(body)
    } catch let error as PhotoLibraryError {
      throw error
    } catch {
      throw PhotoLibraryError(
        .tokenStoreFailed, "The app's tokens could not be locked; make its state folder writable.", cause: error)
    }
  }

  private func save(_ tokens: StoredTokens) throws {
    do {
      try store.save(tokens)
    } catch {
      throw PhotoLibraryError(.tokenStoreFailed, "The app's tokens could not be kept; make its state folder writable.", cause: error)
    }
  }

  private func withTokens<Answer: Sendable>(_ body: (inout StoredTokens) throws -> Answer) throws -> Answer {
    try tokens.withLock { held in
      var tokens = try held ?? load()
      defer { held = tokens }
      return try body(&tokens)
    }
  }

  private func load() throws -> StoredTokens {
    do {
      return try store.load()
    } catch {
      throw PhotoLibraryError(
        .tokenStoreFailed, "The app's tokens could not be read; make the token file readable or remove it.", cause: error)
    }
  }
}
