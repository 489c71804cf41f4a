/// What one run of rclone does, and on which folders and files.
///
/// Every user of the machine can read command lines. So nothing of the library stands there:
/// folders travel in the environment, as remotes that are aliases of them, names of files come over
/// standard input, and what part of a file is read, which tells its length, is in the environment
/// too.
struct RcloneStep {
  /// For the command line.
  let words: [String]
  /// For the environment, which only the broker's user can look at.
  private(set) var variables: [String]
  /// For standard input; nil where the step is not about single files.
  private(set) var names: String?

  /// - Parameters:
  ///   - command: Words that name nothing of the library.
  ///   - folder: Of a remote; nil: the step is about none.
  init(_ command: [String], in folder: String? = nil) {
    words = command + (folder == nil ? [] : ["\(Self.alias(0)):"])
    variables = folder.map { Self.alias(0, of: $0) } ?? []
  }

  /// - Parameter files: Below the folder. Of those that are not there rclone says nothing.
  init(_ command: [String], of files: [String], in folder: String) {
    self.init(command + Self.onlyNamed, in: folder)
    names = Self.text(files)
  }

  /// Prints a file's bytes.
  /// - Parameter count: Nil: up to its end.
  init(reading file: String, in folder: String, from offset: Int64, count: Int64? = nil) {
    self.init(["cat"], of: [file], in: folder)
    variables += ["RCLONE_OFFSET=\(offset)"] + (count.map { ["RCLONE_COUNT=\($0)"] } ?? [])
  }

  /// Moves files, and nothing over another one.
  ///
  /// Both folders are parts of one remote that combines them: of two remotes rclone refuses to move
  /// a file to where it would be above the folder that it was in.
  init(moving files: [String], from source: String, to target: String) {
    words = ["move", "--ignore-existing"] + Self.onlyNamed + ["\(Self.alias(2)):from", "\(Self.alias(2)):to"]
    variables =
      Self.alias(0, of: source) + Self.alias(1, of: target) + Self.remote(2, type: "combine")
      + ["\(Self.variable(2))_UPSTREAMS=from=\(Self.alias(0)): to=\(Self.alias(1)):"]
    names = Self.text(files)
  }

  /// Asks for each by its name, and lists no folder for them.
  private static let onlyNamed = ["--no-traverse", "--files-from-raw", "-"]

  /// Names of files have no line ends: see ``RemotePath/isLocator(_:)``.
  private static func text(_ files: [String]) -> String { files.map { "\($0)\n" }.joined() }

  /// A name that no remote of a configuration has.
  private static let own = "photobroker" + String(UInt64.random(in: .min ... .max), radix: 16)

  private static func alias(_ number: Int) -> String { "\(own)n\(number)" }

  private static func variable(_ number: Int) -> String { "RCLONE_CONFIG_\(alias(number).uppercased())" }

  private static func remote(_ number: Int, type: String) -> [String] { ["\(variable(number))_TYPE=\(type)"] }

  private static func alias(_ number: Int, of folder: String) -> [String] {
    remote(number, type: "alias") + ["\(variable(number))_REMOTE=\(folder)"]
  }
}
