import PluginKit

/// A folder of a remote, as rclone writes it: `nextcloud:Photos`.
struct RemotePath {
  private let text: String

  /// - Throws: `invalidOption`.
  init(_ text: String) throws(PluginError) {
    let name = text.prefix { $0 != ":" }
    let isName =
      !name.isEmpty && !name.hasPrefix("-")
      && name.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
          || "_-.+@ ".utf8.contains(byte)
      }
    // rclone would take "name,pass=…:" as well: a password does not belong into an option that is shown.
    guard isName, text.count > name.count, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
      throw PluginError(
        .invalidOption,
        "Option \"remote\" must be the name of a remote of the configuration, a colon and a folder, such as nextcloud:Photos."
      )
    }
    self.text = text.hasSuffix("/") ? String(text.dropLast()) : text
  }

  /// The folder itself.
  var root: String { text }

  /// A file or folder below.
  func below(_ path: String) -> String { text.hasSuffix(":") ? text + path : "\(text)/\(path)" }

  /// Whether a path below a folder stays below it and can be shown.
  static func isLocator(_ path: String) -> Bool {
    (1...4_096).contains(path.utf8.count) && !path.hasPrefix("/") && !path.utf8.contains { $0 < 0x20 || $0 == 0x7f }
      && !path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).contains {
        // By bytes: a letter that joins with the slash behind it would hide that slash.
        $0.isEmpty || $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8)
      }
  }
}
