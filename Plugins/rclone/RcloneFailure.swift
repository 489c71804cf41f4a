import PluginKit

/// Translates rclone's messages, which may hold photo names and accounts.
enum RcloneFailure {
  private static let known: [(words: [String], error: PluginError)] = [
    (
      ["didn't find section in config file"],
      PluginError(
        .invalidOption,
        "Option \"remote\" names a remote that the file of option \"config\" does not have. Add it with rclone config.")
    ),
    (
      ["decrypt"],
      PluginError(
        .invalidOption, "rclone's configuration is encrypted. Give its password as the credential \"configPassword\".")
    ),
    (
      ["401 ", "403 ", "unauthorized", "forbidden", "unable to authenticate", "access denied", "invalid_grant"],
      PluginError(.offline, "The remote refused the account. Check its name and password with rclone config.")
    ),
    (
      [
        "no such host", "connection refused", "network is unreachable", "no route to host", "i/o timeout",
        "connection reset", "eof",
      ],
      PluginError(.offline, "The remote cannot be reached. Check the network and the remote's address.")
    ),
    (
      ["operation not permitted", "socket: permission denied"],
      PluginError(.offline, "This plugin may not use the network. Start photobrokerd with --network rclone.")
    ),
    (
      ["507 ", "no space left", "quota", "insufficient storage"],
      PluginError(.noSpace, "The remote is full. Free space on it.")
    ),
    (
      ["409 ", "read-only", "405 "],
      PluginError(.readOnly, "The remote refuses changes here. Check the account's rights.")
    ),
  ]

  static func explain(_ complaint: String) -> PluginError {
    for (words, error) in known where words.contains(where: { complaint.contains($0) }) { return error }
    return PluginError(
      .offline,
      "rclone failed. To see why, run \"rclone lsf REMOTE:\" as the broker's user with the same configuration."
    )
  }
}
