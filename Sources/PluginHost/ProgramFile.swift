import Glibc
import PluginKit

/// Checks whether a file can run as a program. The kernel's own error does not tell the problem.
enum ProgramFile {
  /// Bytes that the kernel reads for the interpreter line.
  private static let headBytes = 256

  /// - Parameter file: a regular file, open for reading. It stays the caller's.
  /// - Throws: `unsupported`, with the problem and a fix.
  static func check(_ file: Int32) throws(PluginFailure) {
    var head = [UInt8](repeating: 0, count: headBytes)
    let count = pread(file, &head, headBytes, 0)
    head = Array(head.prefix(max(0, count)))
    if head.starts(with: [0x7f] + Array("ELF".utf8)) { return }
    guard head.starts(with: "#!".utf8) else {
      throw refusal(
        "It is not a program. Begin a script with the line of its interpreter, such as #!/usr/bin/python3.")
    }
    let line = head.prefix { $0 != UInt8(ascii: "\n") }
    guard line.last != UInt8(ascii: "\r") else {
      throw refusal("Its first line ends with a carriage return. Save it with Unix line endings.")
    }
    let words = line.dropFirst(2).split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let interpreter = String(decoding: words.first ?? [], as: UTF8.self)
    guard interpreter.hasPrefix("/"), access(interpreter, X_OK) == 0 else {
      let shown = IsolatedPlugin.plain(interpreter, limit: 100)
      throw refusal(
        """
        The interpreter in its first line, "\(shown)", cannot be run here. Install it, or name another one by its \
        path.
        """
      )
    }
  }

  private static func refusal(_ words: String) -> PluginFailure { PluginFailure(.unsupported, words) }
}
