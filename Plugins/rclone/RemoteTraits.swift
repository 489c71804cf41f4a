import PluginKit

/// Facts that a remote reports about files without reading them, from `rclone backend features`.
struct RemoteTraits: Equatable {
  /// Hashes of all bytes, in order of preference. No CRC, because two photos could share one.
  private static let preferred = ["sha256", "sha1", "md5", "whirlpool", "quickxor", "dropbox", "hidrive", "mailru"]

  /// The hash that the remote stores for each file; nil if it has none, or would read the whole
  /// file to compute it.
  var hash: String?
  /// Whether modification times need one request for each file, and upload times do not.
  var hasSlowTimes: Bool
  /// Whether log and listing use the same paths, as with remotes that have addresses, and with
  /// WebDAV. A remote that wraps another one logs other names.
  var logsOwnPaths: Bool

  /// - Returns: nil if this is not rclone's output.
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

  var listing: [String] {
    (hash.map { ["--hash", "--hash-type", $0] } ?? []) + (hasSlowTimes ? ["--use-server-modtime"] : [])
  }
}
