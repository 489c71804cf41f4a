import PluginKit

/// One run of rclone: its command, folders and files.
///
/// Every user of the machine can read command lines, so they hold no names from the library.
/// Folders are passed in the environment as alias remotes, and file names over standard input.
/// Offset and length of a read are in the environment too, because they tell the file's size.
struct RcloneStep {
  /// Command-line arguments.
  let words: [String]
  /// Environment variables, which only the broker's user can read.
  private(set) var variables: [String]
  /// File names or patterns for standard input; nil for a step without any.
  private(set) var names: String?

  /// - Parameters:
  ///   - command: arguments without names from the library.
  ///   - folder: the remote folder; nil for a step without one.
  init(_ command: [String], in folder: String? = nil) {
    words = command + (folder == nil ? [] : ["\(Self.alias(0)):"])
    variables = folder.map { Self.alias(0, of: $0) } ?? []
  }

  /// A listing without files and folders of some names.
  init(_ command: [String], without names: NamePatterns, in folder: String) {
    self.init(command + ["--ignore-case", "--exclude-from", "-"], in: folder)
    let patterns = [".photobroker-*"] + names.patterns.filter { !$0.utf8.contains(UInt8(ascii: "/")) }.map(Self.glob)
    self.names = Self.text(patterns.flatMap { [$0, "\($0)/**"] })
  }

  /// A pattern in rclone's notation. Lines that begin with # or ; are comments.
  static func glob(_ pattern: String) -> String {
    var glob = ""
    for character in pattern {
      switch character {
      case "#" where glob.isEmpty, ";" where glob.isEmpty: glob = "[\(character)]"
      case "{", "}": glob += "\\\(character)"
      case "*" where glob.last == "*": break
      case "!" where glob.last == "[": glob += "^"
      default: glob.append(character)
      }
    }
    return glob
  }

  /// - Parameter files: paths below the folder. rclone ignores missing ones.
  init(_ command: [String], of files: [String], in folder: String) {
    self.init(command + Self.onlyNamed, in: folder)
    names = Self.text(files)
  }

  /// Prints a file's bytes.
  /// - Parameter count: number of bytes; nil for all to the end.
  init(reading file: String, in folder: String, from offset: Int64, count: Int64? = nil) {
    self.init(["cat"], of: [file], in: folder)
    variables += ["RCLONE_OFFSET=\(offset)"] + (count.map { ["RCLONE_COUNT=\($0)"] } ?? [])
  }

  /// Prints a file's first bytes. A listing waits for it, so it fails soon.
  init(readingStartOf file: String, in folder: String) {
    self.init(
      ["cat", "--contimeout", "5s", "--timeout", "5s", "--retries", "1", "--low-level-retries", "1"], of: [file],
      in: folder)
    variables.append("RCLONE_COUNT=\(FileKind.signatureBytes)")
  }

  /// Moves files without replacing any.
  ///
  /// Both folders belong to one `combine` remote: between two remotes rclone refuses to move a file
  /// to a parent of its folder.
  init(moving files: [String], from source: String, to target: String) {
    words = ["move", "--ignore-existing"] + Self.onlyNamed + ["\(Self.alias(2)):from", "\(Self.alias(2)):to"]
    variables =
      Self.alias(0, of: source) + Self.alias(1, of: target) + Self.remote(2, type: "combine")
      + ["\(Self.variable(2))_UPSTREAMS=from=\(Self.alias(0)): to=\(Self.alias(1)):"]
    names = Self.text(files)
  }

  /// Requests each file by name instead of listing the folder.
  private static let onlyNamed = ["--no-traverse", "--files-from-raw", "-"]

  /// File names contain no newlines: see ``RemotePath/isLocator(_:)``.
  private static func text(_ files: [String]) -> String { files.map { "\($0)\n" }.joined() }

  /// A remote name that no configuration uses.
  private static let own = "photobroker" + String(UInt64.random(in: .min ... .max), radix: 16)

  private static func alias(_ number: Int) -> String { "\(own)n\(number)" }

  private static func variable(_ number: Int) -> String { "RCLONE_CONFIG_\(alias(number).uppercased())" }

  private static func remote(_ number: Int, type: String) -> [String] { ["\(variable(number))_TYPE=\(type)"] }

  private static func alias(_ number: Int, of folder: String) -> [String] {
    remote(number, type: "alias") + ["\(variable(number))_REMOTE=\(folder)"]
  }
}
