import BrokerInterface
import Foundation

/// A person's photo library, as this app may see it.
///
/// The first call introduces the app with its manifest; its token identifies it from then on. Calls
/// share one connection and run in order. Each observer, and each call that waits for a person, has
/// a connection of its own. All of them reconnect after a restart of the broker. In limited mode
/// every answer is as if the library held the person's selection and no other photo.
public actor PhotoLibrary {
  /// The library's name; nil means the only library that this user owns or accepted.
  public nonisolated let name: String?
  private let path: String
  let keeper: TokenKeeper
  private var main: Line?

  /// Creates a library behind a broker's socket. The first call connects.
  ///
  /// - Parameters:
  ///   - socketPath: the broker's socket for apps, by default ``defaultSocketPath``.
  ///   - manifest: the app's description and its reasons for access.
  ///   - tokenStore: the store for its tokens, by default a ``TokenFile`` named after the app.
  ///   - name: the library to use, if several are offered. No other library is used instead, not
  ///     even after this one was removed or withdrawn.
  public init(
    socketPath: String = defaultSocketPath, manifest: AppManifest, tokenStore: (any TokenStore)? = nil,
    name: String? = nil
  ) {
    self.name = name
    path = socketPath
    keeper = TokenKeeper(
      manifest: manifest, store: tokenStore ?? TokenFile(identifier: manifest.identifier), library: name)
  }

  /// `$PHOTOBROKER_SOCKET`, else `photobroker.sock` of the user's own broker if it exists, else
  /// that of the system's broker.
  public static var defaultSocketPath: String {
    let environment = ProcessInfo.processInfo.environment
    if let path = environment["PHOTOBROKER_SOCKET"], !path.isEmpty { return path }
    if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") {
      let path = runtime + "/photobroker/photobroker.sock"
      if FileManager.default.fileExists(atPath: path) { return path }
    }
    return "/run/photobroker/photobroker.sock"
  }

  /// Makes a new connection with the app's tokens.
  ///
  /// - Parameter level: the level of its calls, as in ``TokenKeeper/prepare(_:for:)``.
  nonisolated func makeLine(for level: AccessLevel? = nil) -> Line {
    Line { [path, keeper] in
      let wire = try Wire(path: path)
      try keeper.prepare(wire, for: level)
      return wire
    }
  }

  /// Makes calls on the shared connection, which is replaced first if it ended while idle.
  ///
  /// - Parameters:
  ///   - level: the level of the calls, as in ``TokenKeeper/prepare(_:for:)``.
  ///   - isRepeatable: whether the work changes nothing, so that it is retried if the connection
  ///     ends during it.
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
      // Nothing was sent, so even work that changes something can run again.
    } catch let error as PhotoLibraryError where error.code == .connectionLost {
      replace(line)
      guard isRepeatable else { throw error }
    } catch let error as PhotoLibraryError {
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

  /// Makes calls that need access: ``call(for:isRepeatable:_:)`` within ``withAccess(for:_:)``.
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

  private struct StaleConnection: Error {}
}
