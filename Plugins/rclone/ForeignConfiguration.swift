import PluginKit

/// What a configuration that was handed over as a text may name: services that are reached over the network with an account, and
/// nothing that reads this machine's files, borrows its accounts or runs a program. An administrator's file (option `config`) may name anything.
enum ForeignConfiguration {
  private static let types: Set<String> = [
    "azureblob", "b2", "box", "drive", "dropbox", "fichier", "filefabric", "ftp", "google cloud storage", "google photos", "hidrive",
    "http", "internetarchive", "jottacloud", "koofr", "mailru", "mega", "netstorage", "onedrive", "opendrive", "oracleobjectstorage",
    "pcloud", "premiumizeme", "putio", "qingstor", "s3", "seafile", "sftp", "sharefile", "sia", "smb", "storj", "sugarsync", "swift",
    "uptobox", "webdav", "yandex", "zoho",
  ]

  /// Options that take an account from the environment, an agent or the machine.
  private static let borrowed: Set = ["env_auth", "key_use_agent", "use_msi", "profile", "provider_config", "config_profile"]

  /// - Parameter dump: what `rclone config dump` prints: an object of remotes, each an object of texts. A quotation mark inside of a
  ///   text has a backslash before it, so that a text cannot look like a key.
  /// - Throws: `invalidOption`.
  static func check(_ dump: String) throws(PluginError) {
    let lines = dump.split(separator: "\n").map { $0.drop { $0 == " " || $0 == "\t" } }
    for line in lines {
      guard let (key, value) = pair(line) else { continue }
      if key == "type", !types.contains(String(value)) {
        throw PluginError(
          .invalidOption,
          "A configuration that is handed over names services on the network only. Ask an administrator to put it into a file of the "
            + "broker's user, and name that with option \"config\".")
      }
      if key.hasSuffix("command") || key == "ssh" {
        throw PluginError(
          .invalidOption, "A configuration that is handed over runs no programs: leave out what ends in \"command\", and \"ssh\".")
      }
      // Keys and accounts of the broker's user, or of the machine that it runs on, are not whoever handed the text over's.
      if key.hasSuffix("_file") || key.hasSuffix("_path") || borrowed.contains(String(key)) || lends(key, value),
        !value.isEmpty, value != "false"
      {
        throw PluginError(
          .invalidOption,
          "A configuration that is handed over brings its own keys and accounts: leave out \"\(key)\", and put a key into the text "
            + "itself (key_pem, service_account_credentials).")
      }
    }
  }

  /// Oracle's ways to log in, which stand where others name a vendor.
  private static func lends(_ key: Substring, _ value: Substring) -> Bool {
    key == "provider" && value.hasSuffix("_auth") && value != "no_auth"
  }

  /// `"key": "value"`, as one line of the dump has it; nil for other lines.
  private static func pair(_ line: Substring) -> (key: Substring, value: Substring)? {
    guard line.first == "\"", let end = line.dropFirst().firstIndex(of: "\"") else { return nil }
    let key = line[line.index(after: line.startIndex)..<end]
    let rest = line[line.index(after: end)...]
    guard rest.hasPrefix(": \"") else { return nil }
    let value = rest.dropFirst(3)
    return (key, value.firstIndex(of: "\"").map { value[..<$0] } ?? value)
  }
}
