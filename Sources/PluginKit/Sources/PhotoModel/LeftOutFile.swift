/// A file or folder of a storage that is in no item, though it may be or hold a photo.
public struct LeftOutFile: Sendable, Hashable {
  public enum Cause: String, Sendable, CaseIterable {
    /// A symbolic link; links are not followed.
    case link
    /// Its name is no text, has control characters, or makes the path too long.
    case name
    /// A folder that is nested too deeply.
    case depth
    /// It cannot be read.
    case unreadable
    /// A folder on which another file system is mounted.
    case fileSystem
    /// A pipe, socket or device.
    case kind
    /// The storage's server does not report its size or state, or its first bytes are not read
    /// yet. A known item at its path stays known.
    case facts
    /// A program's backup of the file beside it.
    case backup
  }

  /// Maximum length of ``path`` in bytes: a path of 4,096 bytes, all of them escaped.
  public static let pathLimitBytes = 4 * 4_096

  /// The path, for people: it has no control characters.
  public var path: String
  public var cause: Cause

  public init(path: String, cause: Cause) {
    self.path = path
    self.cause = cause
  }

  /// Makes a name or path showable: bytes that are not UTF-8, control characters and backslashes
  /// become `\xff`.
  public static func escaped(_ name: some Collection<UInt8>) -> String {
    var text = ""
    var rest = Array(name)[...]
    while let first = rest.first {
      let length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
      let isPlain = first >= 0x20 && first != 0x7f && first != UInt8(ascii: "\\")
      if isPlain, let character = String(validating: rest.prefix(length), as: UTF8.self) {
        text += character
        rest = rest.dropFirst(length)
      } else {
        text += "\\x" + Hex.text([first])
        rest = rest.dropFirst()
      }
    }
    return text
  }
}
