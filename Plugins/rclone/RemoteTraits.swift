import PluginKit

/// What a remote can tell of its files without reading them, as `rclone backend features` says.
struct RemoteTraits: Equatable {
  /// Hashes of all bytes, the preferred first. No CRC: two photos could share one.
  private static let preferred = ["sha256", "sha1", "md5", "whirlpool", "quickxor", "dropbox", "hidrive", "mailru"]

  /// The hash that the remote keeps of each file; nil where it has none, or would read the whole file for it.
  var hash: String?
  /// Whether it asks once more for each file's own time of change, and has the time of its upload at hand.
  var hasSlowTimes: Bool
  /// Whether paths in rclone's log are those of its listing, as of servers that it names by their
  /// addresses, and of WebDAV; a remote over another one has other names.
  var logsOwnPaths: Bool

  /// - Returns: Nil where that is not what rclone prints.
  init?(printed: some Collection<UInt8>) {
    var reader = PrintedJSON(printed)
    guard let found = reader.object(), case .object(let features)? = found["Features"] else { return nil }
    hasSlowTimes = features["SlowModTime"] == .flag(true)
    logsOwnPaths = false
    if case .text(let address)? = found["String"], features["UnWrap"] != .flag(true) {
      logsOwnPaths = address.contains("://") || address.hasPrefix("webdav ")
    }
    guard features["SlowHash"] != .flag(true), case .list(let hashes)? = found["Hashes"] else { return }
    hash = Self.preferred.first { hashes.contains(.text($0)) }
  }

  /// Arguments for `rclone lsjson`.
  var listing: [String] {
    (hash.map { ["--hash", "--hash-type", $0] } ?? []) + (hasSlowTimes ? ["--use-server-modtime"] : [])
  }
}
