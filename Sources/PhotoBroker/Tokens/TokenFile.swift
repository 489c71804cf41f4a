public import Foundation

/// A token store in a file with mode 0600, which each save replaces atomically.
///
/// The file may also hold a single token as plain text, as `photobroker token mint` writes it.
public struct TokenFile: TokenStore {
  /// The file's location.
  public let url: URL

  /// Creates a store at `url`.
  public init(url: URL) { self.url = url }

  /// Creates a store at `IDENTIFIER.token` in `$XDG_STATE_HOME/photobroker`, by default
  /// `~/.local/state/photobroker`.
  public init(identifier: String) {
    let environment = ProcessInfo.processInfo.environment
    let state =
      environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
      ?? Self.home(environment).appendingPathComponent(".local/state")
    // A slash in an identifier would lead out of the folder.
    let name = identifier.replacingOccurrences(of: "/", with: "_") + ".token"
    url = state.appendingPathComponent("photobroker").appendingPathComponent(name)
  }

  /// `$HOME` takes precedence over the user database, as in other programs.
  private static func home(_ environment: [String: String]) -> URL {
    environment["HOME"].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
      ?? FileManager.default.homeDirectoryForCurrentUser
  }

  /// Reads the tokens; none if the file does not exist.
  ///
  /// - Throws: the error of reading the file; a decoding error if the file is damaged.
  public func load() throws -> StoredTokens {
    let data: Data
    do {
      data = try Data(contentsOf: url)
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
      return StoredTokens()
    }
    let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    if text.isEmpty { return StoredTokens() }
    if !text.hasPrefix("{") { return StoredTokens(grants: ["minted": text]) }
    return try JSONDecoder().decode(StoredTokens.self, from: data)
  }

  /// Writes a new file beside the old one and renames it, so that no crash leaves half a token.
  ///
  /// - Throws: `POSIXError`, and the errors of `FileManager` and `FileHandle`.
  public func save(_ tokens: StoredTokens) throws {
    let folder = try makeFolder()
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let data = try encoder.encode(tokens)
    var template = Array((folder.path + "/.token-XXXXXX").utf8CString)
    // mkstemp creates the file with mode 0600: at no moment can another user open it.
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      try file.write(contentsOf: data)
      try file.synchronize()
      guard rename(template, url.path) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    } catch {
      unlink(template)
      throw error
    }
  }

  /// Runs `body` under an exclusive `flock` on a file beside this one. Two first starts of an app
  /// thus introduce it once, and neither overwrites the other's tokens. The lock file is never
  /// removed.
  ///
  /// - Throws: `POSIXError` if the lock file cannot be opened or locked; the errors of `body`.
  public func exclusively(_ body: () throws -> Void) throws {
    let path = try makeFolder().path + "/.\(url.lastPathComponent).lock"
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    defer { close(descriptor) }
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }
    try body()
  }

  private func makeFolder() throws -> URL {
    let folder = url.deletingLastPathComponent()
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return folder
  }
}
