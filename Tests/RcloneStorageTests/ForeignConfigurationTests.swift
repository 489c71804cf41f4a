import PluginKit
import Testing

@testable import RcloneStorage

/// A foreign rclone configuration reaches nothing on this machine and none of its accounts.
struct ForeignConfigurationTests {
  /// Prints remotes as `rclone config dump` does.
  private func dump(_ remotes: [[String: String]]) -> String {
    let printed = remotes.enumerated().map { number, remote in
      let options = remote.sorted { $0.key < $1.key }.map { "        \"\($0.key)\": \"\($0.value)\"" }
      return "    \"remote\(number)\": {\n" + options.joined(separator: ",\n") + "\n    }"
    }
    return "{\n" + printed.joined(separator: ",\n") + "\n}"
  }

  @Test(arguments: [
    ["type": "webdav", "url": "https://example.org/", "vendor": "nextcloud", "user": "a", "pass": "b"],
    ["type": "s3", "provider": "AWS", "access_key_id": "a", "secret_access_key": "b", "env_auth": "false"],
    ["type": "s3", "provider": "AWS"], ["type": "sftp", "host": "example.org", "user": "a", "key_pem": "k"],
    ["type": "drive", "scope": "drive", "token": #"{\"access_token\":\"a\"}"#, "service_account_file": ""],
    ["type": "google cloud storage", "service_account_credentials": "{}"],
    ["type": "google cloud storage", "anonymous": "true"],
  ]) func `accounts in the text are accepted`(_ remote: [String: String]) throws {
    try ForeignConfiguration.check(dump([["type": "http", "url": "https://example.org/"], remote]))
  }

  @Test(arguments: [
    ["type": "local"], ["type": "alias", "remote": "/etc"], ["type": "sia"],
    ["type": "oracleobjectstorage", "namespace": "a"],
    ["type": "google cloud storage"], ["type": "google cloud storage", "token": "{}"],
    ["type": "google cloud storage", "anonymous": "false"],
    ["type": "google cloud storage", "service_account_credentials": ""],
    ["type": "sftp", "host": "example.org"],
    ["type": "sftp", "host": "example.org", "pass": "a", "key_use_agent": "true"],
    ["type": "s3", "env_auth": "true"], ["type": "s3", "env_auth": "1"], ["type": "s3", "profile": "default"],
    ["type": "s3", "shared_credentials_file": "/etc/x"], ["type": "azureblob", "use_msi": "true"],
    ["type": "azureblob", "use_az": "true"],
    ["type": "drive", "env_auth": "true"], ["type": "smb", "host": "example.org", "use_kerberos": "true"],
    ["type": "webdav", "url": "http://localhost/", "bearer_token_command": "id"],
    ["type": "webdav", "unix_socket": "/run/x"],
    ["type": "sftp", "host": "example.org", "pass": "a", "ssh": "id"], ["type": "webdav", #"a\"b"#: "x"],
    ["type": "webdav", "an_option_of_tomorrow": "x"], ["type": "webdav", "bearer_token_command": "false"],
    ["type": "google cloud storage", "service_account_file": "false", "anonymous": "true"],
    ["type": "s3", "env_auth": "False"], ["url": "https://example.org/"], ["type": ""], [:],
  ]) func `borrowing, reading, running and unknown settings are refused everywhere`(_ remote: [String: String]) {
    let fine = ["type": "http", "url": "https://example.org/"]
    for remotes in [[remote], [fine, remote], [remote, fine]] {
      #expect { try ForeignConfiguration.check(dump(remotes)) } throws: { ($0 as? PluginError)?.code == .invalidOption }
    }
  }

  @Test(arguments: ["0", "f", "F", "False", "FALSE", "false", "true ", "TRUE", "1", "yes"])
  func `the absence of an account is accepted only as the one word that every rclone reads alike`(
    _ word: String
  ) {
    for account in [[:], ["service_account_credentials": "{}"]] {
      let remote = ["type": "google cloud storage", "anonymous": word].merging(account) { first, _ in first }
      #expect { try ForeignConfiguration.check(dump([remote])) } throws: {
        ($0 as? PluginError)?.code == .invalidOption
      }
    }
  }

  /// rclone takes missing options from the section named before the dot.
  @Test(arguments: [#"        "anonymous": "false""#, #"        "anonymous": """#, #"        "type": "http""#])
  func `a remote is defined by its own section`(_ option: String) {
    let printed = """
      {
          "g": {
              "anonymous": "true",
              "type": "google cloud storage"
          },
          "g.x": {
      \(option)
          }
      }
      """
    #expect { try ForeignConfiguration.check(printed) } throws: {
      ($0 as? PluginError)?.message.contains("dot") == true
    }
    #expect(throws: PluginError.self) { try ForeignConfiguration.check("{\n    \"g.x\": {}\n}") }
  }

  @Test func `an empty configuration is none, and no fault`() throws {
    for text in ["", "{}", "{}\n"] { try ForeignConfiguration.check(text) }
  }
}
