public import Foundation

/// Tokens in a file that only its owner reads: mode 0600, replaced in one step.
///
/// A file that holds one token as plain text, as `photobroker token mint` writes it, is read as well.
public struct TokenFile: TokenStore {
  /// The file.
  public let url: URL

  /// A file of one's own choice.
  public init(url: URL) { self.url = url }

  /// `IDENTIFIER.token` in `$XDG_STATE_HOME/photobroker`, by default `~/.local/state/photobroker`.
  public init(identifier: String) {
    let environment = ProcessInfo.processInfo.environment
    let state =
      environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
      ?? Self.home(environment).appendingPathComponent(".local/state")
    // An identifier has no slash; one that has would leave the folder.
    let name = identifier.replacingOccurrences(of: "/", with: "_") + ".token"
    url = state.appendingPathComponent("photobroker").appendingPathComponent(name)
  }

  /// `$HOME` before what the system's list of users says, as other programs have it.
  private static func home(_ environment: [String: String]) -> URL {
    environment["HOME"].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
      ?? FileManager.default.homeDirectoryForCurrentUser
  }

  /// What the file holds; nothing where there is none.
  ///
  /// - Throws: what reading throws, and what decoding throws for a garbled file.
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
  /// - Throws: what the system refuses.
  public func save(_ tokens: StoredTokens) throws {
    let folder = try makeFolder()
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let data = try encoder.encode(tokens)
    var template = Array((folder.path + "/.token-XXXXXX").utf8CString)
    // mkstemp's file has mode 0600 from birth: there is no moment at which another user can open it.
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

  /// Runs `body` under a lock on a file beside this one, which stays: two first starts of an app introduce it once, and
  /// neither overwrites what the other was given.
  ///
  /// - Throws: what the system refuses, and what `body` throws.
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
