import PluginKit

/// A folder of a remote in rclone's syntax: `nextcloud:Photos`.
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
    // rclone also accepts "name,pass=…:", but this option is shown, so it must not hold a password.
    guard isName, text.count > name.count, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
      throw PluginError(
        .invalidOption,
        "Option \"remote\" must be a remote's name, a colon and a folder, such as nextcloud:Photos."
      )
    }
    self.text = text.hasSuffix("/") ? String(text.dropLast()) : text
  }

  var root: String { text }

  func below(_ path: String) -> String { text.hasSuffix(":") ? text + path : "\(text)/\(path)" }

  /// Whether a path stays below its folder and is printable.
  static func isLocator(_ path: String) -> Bool {
    (1...4_096).contains(path.utf8.count) && !path.hasPrefix("/") && !path.utf8.contains { $0 < 0x20 || $0 == 0x7f }
      && !path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).contains {
        // As bytes: a combining character would merge with the slash before it.
        $0.isEmpty || $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8)
      }
  }
}
