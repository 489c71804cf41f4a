import BrokerInterface
import Synchronization

/// The app's tokens for one library while it runs: introduces the app once, and makes each connection the app's.
final class TokenKeeper: Sendable {
  private let manifest: AppManifest
  private let store: any TokenStore
  /// Nil: the only one that this user owns or accepted.
  private let library: String?
  /// What is held, as far as it was read. Never locked for long: whoever asks may be on a thread that is not to wait.
  private let tokens = Mutex<StoredTokens?>(nil)
  /// Locked by whoever changes what is held, also over calls to the broker, which may take as long as it likes.
  private let turn = Mutex<Void>(())

  /// Tokens of other libraries stay in the store and are left alone: of those that are attached for
  /// a level the broker goes by the last.
  init(manifest: AppManifest, store: any TokenStore, library: String?) {
    self.manifest = manifest
    self.store = store
    self.library = library
  }

  /// Where a token that a person handed over is kept; its level and library are the broker's to know.
  private static let minted = "minted"

  /// Where the token of a level is kept.
  private func key(_ level: AccessLevel) -> String { library.map { "\(level.rawValue) \($0)" } ?? level.rawValue }

  /// The level of the token that decides on calls of this one; nil where none is held. Adding is
  /// part of reading and writing.
  func heldLevel(for level: AccessLevel) -> AccessLevel? {
    // What cannot be read is told where a connection is made.
    guard let grants = try? held().grants else { return nil }
    if let held = [level, .readWrite].first(where: { grants[key($0)] != nil }) { return held }
    return grants[Self.minted].map { _ in level }
  }

  /// Whether the app's own token is held, by which the others can be had anew.
  var isAppItself: Bool { (try? held().app != nil) ?? false }

  /// Adding is requested as reading and writing by an app whose manifest gives a reason for that alone.
  func levelToRequest(for level: AccessLevel) -> AccessLevel {
    level == .addOnly && !manifest.describes(.addOnly) && manifest.describes(.readWrite) ? .readWrite : level
  }

  /// Attaches what is held and was not attached here yet; introduces the app first where it has no
  /// token.
  ///
  /// A grant's token that is refused has ended: it is forgotten, and the app is told when it needs
  /// the access.
  /// - Parameter level: of what is to be sent, where a token decides on it; nil: none does.
  /// - Throws: `tokenRefused` for the app's own token and for a minted one of another library;
  ///   `tokenRequired` where a library was named and no token of it decides on the level: what is
  ///   sent without one names no library, and would be asked of another one; `tokenStoreFailed`,
  ///   and what the connection throws.
  func prepare(_ wire: Wire, for level: AccessLevel? = nil) throws {
    try attachHeld(wire)
    guard let library, let level, !wire.holdsToken(for: level) else { return }
    throw PhotoLibraryError(
      .tokenRequired, "No token for \(level.rawValue) access to \(library) is held; request authorization.")
  }

  private func attachHeld(_ wire: Wire) throws {
    // The turn is kept over the calls: two connections must not introduce the app twice.
    try withTokens { tokens in
      if let app = tokens.app { try attachOwn(app, wire) }
      // A minted token is all that its holder was given: it names the app as well.
      let isOnlyMinted = tokens.app == nil && tokens.grants[Self.minted] != nil
      if !isOnlyMinted, tokens.app == nil || tokens.manifest != manifest.text { try introduce(wire, &tokens) }
      // What was requested last: that is newer than what was minted.
      let names: [(String, AccessLevel?)] = [
        (Self.minted, nil), (key(.addOnly), .addOnly), (key(.readWrite), .readWrite),
      ]
      for (name, level) in names {
        guard let token = tokens.grants[name] else { continue }
        do {
          try wire.attach(token, for: level, of: library)
        } catch let foreign as Wire.ForeignToken {
          // It is not forgotten: it is good where its library is named.
          throw PhotoLibraryError(
            .tokenRefused,
            "The app's token is for the library \(foreign.library); name that one, or use a token for this one.")
        } catch let error as PhotoLibraryError where error.code == .tokenRefused && !isOnlyMinted {
          // Another process may have got a new one meanwhile.
          try keep(&tokens) { if $0.grants[name] == token { $0.grants[name] = nil } }
        }
      }
    }
  }

  /// Keeps the token that a request for access delivered on `wire`.
  func keep(_ token: String, for level: AccessLevel, on wire: Wire) throws {
    wire.noteAttached(token, for: level)
    try withTokens { tokens in try keep(&tokens) { $0.grants[key(level)] = token } }
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
        .tokenRefused,
        "The broker does not know this app any more; remove its token file to introduce it as a new app.",
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
      throw PhotoLibraryError(
        .tokenStoreFailed, "The app's tokens could not be kept; make its state folder writable.", cause: error)
    }
  }

  private func withTokens(_ body: (inout StoredTokens) throws -> Void) throws {
    try turn.withLock { _ in
      var changed = try held()
      defer { tokens.withLock { $0 = changed } }
      try body(&changed)
    }
  }

  private func held() throws -> StoredTokens {
    if let known = tokens.withLock({ $0 }) { return known }
    let stored = try load()
    return tokens.withLock { known in
      let held = known ?? stored
      known = held
      return held
    }
  }

  private func load() throws -> StoredTokens {
    do {
      return try store.load()
    } catch {
      throw PhotoLibraryError(
        .tokenStoreFailed, "The app's tokens could not be read; make the token file readable or remove it.",
        cause: error)
    }
  }
}
