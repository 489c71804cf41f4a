import BrokerInterface
import Foundation

/// A person's photo library, as this app may see it.
///
/// The app is introduced with its manifest at the first call, and known by its token from then on.
/// Calls are made on one connection, in order; a call that waits for a person, and each observer,
/// has a connection of its own. All of them come back by themselves after a restart of the broker.
/// In limited mode everything answers as if the library held nothing but what the person selected.
public actor PhotoLibrary {
  /// The library's name; nil is the only one that this user owns or accepted.
  public nonisolated let name: String?
  private let path: String
  let keeper: TokenKeeper
  private var main: Line?

  /// A library behind a broker's socket; nothing is connected before the first call.
  ///
  /// - Parameters:
  ///   - socketPath: the broker's socket for apps, by default ``defaultSocketPath``.
  ///   - manifest: who the app is, and why it asks.
  ///   - tokenStore: where its tokens are kept; by default a ``TokenFile`` named after the app.
  ///   - name: which library, where several are offered. Nothing is asked of another one, also
  ///     where it is there for this user no longer.
  public init(
    socketPath: String = defaultSocketPath, manifest: AppManifest, tokenStore: (any TokenStore)? = nil,
    name: String? = nil
  ) {
    self.name = name
    path = socketPath
    keeper = TokenKeeper(
      manifest: manifest, store: tokenStore ?? TokenFile(identifier: manifest.identifier), library: name)
  }

  /// `$PHOTOBROKER_SOCKET`, else `photobroker.sock` of the user's own broker where there is one, else of the system's.
  public static var defaultSocketPath: String {
    let environment = ProcessInfo.processInfo.environment
    if let path = environment["PHOTOBROKER_SOCKET"], !path.isEmpty { return path }
    if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") {
      let path = runtime + "/photobroker/photobroker.sock"
      if FileManager.default.fileExists(atPath: path) { return path }
    }
    return "/run/photobroker/photobroker.sock"
  }

  /// A new connection that is this app's.
  ///
  /// - Parameter level: of what is sent on it, as for ``TokenKeeper/prepare(_:for:)``.
  nonisolated func makeLine(for level: AccessLevel? = nil) -> Line {
    Line { [path, keeper] in
      let wire = try Wire(path: path)
      try keeper.prepare(wire, for: level)
      return wire
    }
  }

  /// Makes calls on the shared connection. A connection that ended while nobody called is replaced first.
  ///
  /// - Parameters:
  ///   - level: of the work, as for ``TokenKeeper/prepare(_:for:)``.
  ///   - isRepeatable: the work changes nothing, so that it is done again when the connection ends under it.
  /// - Throws: ``PhotosError``, ``PhotoLibraryError``.
  func call<Result: Sendable>(
    for level: AccessLevel? = nil, isRepeatable: Bool = true, _ work: @escaping @Sendable (Wire) throws -> Result
  ) async throws -> Result {
    let line = sharedLine()
    do {
      return try await line.perform { [keeper] wire in
        guard !wire.isStale else { throw StaleConnection() }
        try keeper.prepare(wire, for: level)
        return try work(wire)
      }
    } catch is StaleConnection {
      // Nothing was sent.
    } catch let error as PhotoLibraryError where error.code == .connectionLost {
      replace(line)
      guard isRepeatable else { throw error }
    } catch let error as PhotoLibraryError {
      // The broker closes the connection after these errors.
      switch error.code {
      case .usageDescriptionMissing, .messageRefused: replace(line)
      default: break
      }
      throw error
    }
    replace(line)
    return try await sharedLine().perform { [keeper] wire in
      try keeper.prepare(wire, for: level)
      return try work(wire)
    }
  }

  /// As ``call(for:isRepeatable:_:)`` for what needs access: see ``withAccess(for:_:)``.
  func callWithAccess<Result: Sendable>(
    level: AccessLevel = .readWrite, isRepeatable: Bool = true, _ work: @escaping @Sendable (Wire) throws -> Result
  ) async throws -> Result {
    try await withAccess(for: level) { try await call(for: level, isRepeatable: isRepeatable, work) }
  }

  private func sharedLine() -> Line {
    if let main { return main }
    let line = makeLine()
    main = line
    return line
  }

  private func replace(_ line: Line) {
    line.hangUp()
    if main === line { main = nil }
  }

  /// The connection ended before anything was sent on it.
  private struct StaleConnection: Error {}
}
