import BrokerInterface
import Synchronization

/// The tokens of one app for one library. Introduces the app once, and attaches its tokens to each
/// connection.
final class TokenKeeper: Sendable {
  private let manifest: AppManifest
  private let store: any TokenStore
  /// Nil means the only library that this user owns or accepted.
  private let library: String?
  /// The tokens, once they are read. Locked briefly only: callers may run on a thread that must not
  /// block.
  private let tokens = Mutex<StoredTokens?>(nil)
  /// Serializes changes of the tokens, also across calls to the broker, which may take any time.
  private let turn = Mutex<Void>(())

  /// Tokens of other libraries stay in the store and are not attached: the broker uses the last
  /// token that is attached for a level.
  init(manifest: AppManifest, store: any TokenStore, library: String?) {
    self.manifest = manifest
    self.store = store
    self.library = library
  }

  /// Key of a token that a person handed over. The broker alone knows its level and library.
  private static let minted = "minted"

  private func key(_ level: AccessLevel) -> String { library.map { "\(level.rawValue) \($0)" } ?? level.rawValue }

  /// The level of the token that authorizes calls of `level`; nil if none is held. `readWrite`
  /// includes adding.
  func heldLevel(for level: AccessLevel) -> AccessLevel? {
    // A store that cannot be read fails in `prepare`, with its error.
    guard let grants = try? held().grants else { return nil }
    if let held = [level, .readWrite].first(where: { grants[key($0)] != nil }) { return held }
    return grants[Self.minted].map { _ in level }
  }

  /// Whether the app's own token is held, with which it can request the other tokens again.
  var isAppItself: Bool { (try? held().app != nil) ?? false }

  /// An app that wants to add but gives a reason for `readWrite` alone requests `readWrite`.
  func levelToRequest(for level: AccessLevel) -> AccessLevel {
    level == .addOnly && !manifest.describes(.addOnly) && manifest.describes(.readWrite) ? .readWrite : level
  }

  /// Attaches the held tokens that `wire` does not have yet. Introduces the app first if it has no
  /// token.
  ///
  /// The broker refuses a grant's token after the access ended. The token is then forgotten; the
  /// app learns of the end from the next call that needs the access.
  /// - Parameter level: the level of the calls to come; nil if they need no token.
  /// - Throws: `tokenRefused` for the app's own token and for a minted one of another library;
  ///   `tokenStoreFailed`; errors of the connection; `tokenRequired` if a library was named and
  ///   none of its tokens authorizes the level. Calls without a token name no library, and another
  ///   library would answer them.
  func prepare(_ wire: Wire, for level: AccessLevel? = nil) throws {
    try attachHeld(wire)
    guard let library, let level, !wire.holdsToken(for: level) else { return }
    throw PhotoLibraryError(
      .tokenRequired, "No token for \(level.rawValue) access to \(library) is held; request authorization.")
  }

  private func attachHeld(_ wire: Wire) throws {
    // Held over the calls: two connections must not introduce the app twice.
    try withTokens { tokens in
      if let app = tokens.app { try attachOwn(app, wire) }
      // A minted token identifies the app too, so its holder needs no introduction.
      let isOnlyMinted = tokens.app == nil && tokens.grants[Self.minted] != nil
      if !isOnlyMinted, tokens.app == nil || tokens.manifest != manifest.text { try introduce(wire, &tokens) }
      // Requested tokens are attached last, because they are newer than the minted one.
      let names: [(String, AccessLevel?)] = [
        (Self.minted, nil), (key(.addOnly), .addOnly), (key(.readWrite), .readWrite),
      ]
      for (name, level) in names {
        guard let token = tokens.grants[name] else { continue }
        do {
          try wire.attach(token, for: level, of: library)
        } catch let foreign as Wire.ForeignToken {
          // The token stays in the store: it is valid if its own library is named.
          throw PhotoLibraryError(
            .tokenRefused,
            "The app's token is for the library \(foreign.library); name that one, or use a token for this one.")
        } catch let error as PhotoLibraryError where error.code == .tokenRefused {
          guard !isOnlyMinted else { throw Self.deadToken(error) }
          // Another process may have saved a new token meanwhile.
          try keep(&tokens) { if $0.grants[name] == token { $0.grants[name] = nil } }
        }
      }
    }
  }

  /// The error for a minted token alone: its holder cannot request another one, as the broker's
  /// message advises.
  private static func deadToken(_ cause: PhotoLibraryError) -> PhotoLibraryError {
    PhotoLibraryError(
      .tokenRefused,
      "The token in the token file has ended, was revoked, is another user's, or is damaged. Ask the owner of the "
        + "photos for a new file from photobroker token mint, or start without a token file.", cause: cause)
  }

  func keep(_ token: String, for level: AccessLevel, on wire: Wire) throws {
    wire.noteAttached(token, for: level)
    try withTokens { tokens in try keep(&tokens) { $0.grants[key(level)] = token } }
  }

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
      // No second introduction: an app that its owner removed must not come back under another
      // token.
      throw PhotoLibraryError(
        .tokenRefused,
        "The broker does not know this app any more; remove its token file to introduce it as a new app.",
        cause: error)
    }
  }

  /// Applies `change` to the stored tokens, because another process may have saved one meanwhile.
  private func keep(_ tokens: inout StoredTokens, _ change: (inout StoredTokens) -> Void) throws {
    let before = tokens
    // In memory first: the tokens are valid even if they cannot be saved.
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
