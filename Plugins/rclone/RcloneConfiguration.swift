import Glibc
import PluginKit

/// Where rclone finds its remotes and their accounts: a file of the broker's user, or a text that only this process has.
final class RcloneConfiguration {
  /// The number that the text's file has in rclone's process.
  static let numberInChild: Int32 = 3

  /// For `--config`.
  let path: String
  /// Of the text; nil where there is a file.
  let descriptor: Int32?
  /// For rclone's environment, which nobody but the broker's user can look at.
  let variables: [String]

  /// - Throws: `invalidOption`.
  init(_ options: PluginOptions) throws(PluginError) {
    variables = options["configPassword"].map { ["RCLONE_CONFIG_PASS=\($0)"] } ?? []
    switch (options["config"], options["configuration"]) {
    case (let file?, nil):
      try Self.check(file)
      (path, descriptor) = (file, nil)
    case (nil, let text?):
      descriptor = try Self.file(with: text)
      path = "/proc/self/fd/\(Self.numberInChild)"
    default:
      throw PluginError(
        .invalidOption,
        "Give either option \"config\", the path of rclone's configuration, or the credential \"configuration\", what is in one.")
    }
  }

  deinit { if let descriptor { close(descriptor) } }

  /// The configuration holds an account's password or key.
  private static func check(_ path: String) throws(PluginError) {
    var facts = stat()
    guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      throw PluginError(.invalidOption, "Option \"config\" must be the absolute path of a file that the broker's user can read.")
    }
    // Another library's account lies there.
    guard !isInState(path) else {
      throw PluginError(.invalidOption, "Option \"config\" names a file of the broker's own state; put the configuration elsewhere.")
    }
    guard facts.st_uid == geteuid(), facts.st_mode & 0o077 == 0 else {
      throw PluginError(.invalidOption, "The file of option \"config\" holds an account: make it the broker's user's own, with mode 0600.")
    }
  }

  /// Whether a folder above the file is the broker's state, whichever way leads there.
  private static func isInState(_ path: String) -> Bool {
    guard let real = realpath(path, nil) else { return true }
    defer { free(real) }
    var folder = String(cString: real)[...]
    while let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")) {
      folder = folder[..<slash]
      if access(folder + "/state.db", F_OK) == 0 { return true }
    }
    return false
  }

  /// A file that never has a name, by which another plugin's process of the same user could open it; in memory where the machine has
  /// such a folder.
  private static func file(with text: String) throws(PluginError) -> Int32 {
    // O_TMPFILE, which Swift does not see without _GNU_SOURCE.
    let temporary: Int32 = 0o20_000_000 | O_DIRECTORY
    for folder in ["/dev/shm", "/tmp"] {
      let file = open(folder, O_RDWR | O_CLOEXEC | O_EXCL | temporary, 0o600)
      guard file >= 0 else { continue }
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        guard count > 0 else { break }
        rest = rest.dropFirst(count)
      }
      if rest.isEmpty { return file }
      close(file)
    }
    throw PluginError(
      .offline, "There is no room for rclone's configuration in /dev/shm or /tmp, or no way to keep a file without a name there.")
  }
}
