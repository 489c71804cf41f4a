import Glibc

/// The console on the process's standard descriptors.
package final class SystemConsole: Console {
  /// The errno of the first failed write to standard output; 0 without one.
  package private(set) var outputFailure: Int32 = 0

  package init() {
    // A closed pipe then fails a write, and does not kill the program in the middle of a change.
    signal(SIGPIPE, SIG_IGN)
  }

  package var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
  package var columns: Int {
    var size = winsize()
    return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 120
  }
  package var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  package func print(_ line: String) { write(line + "\n", to: STDOUT_FILENO) }
  package func complain(_ line: String) { write(line + "\n", to: STDERR_FILENO) }
  package func progress(_ line: String) { write("\r\u{1B}[K" + line, to: STDERR_FILENO) }

  package func ask(_ question: String) -> String? {
    write(question, to: STDERR_FILENO)
    return readLine()
  }

  package func input(limitBytes: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(STDIN_FILENO, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return bytes }
      bytes += piece[..<count]
      if bytes.count > limitBytes { return nil }
    }
  }

  private func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0 {
        let cause = errno
        if cause == EINTR { continue }
        if descriptor == STDOUT_FILENO, outputFailure == 0 { outputFailure = cause }
        return
      }
      bytes = bytes.dropFirst(written)
    }
  }
}
