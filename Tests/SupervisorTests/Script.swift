import Glibc
import Supervisor
import UnixSocket

/// Small Python programs for tests.
enum Script {
  static func python(_ text: String) -> ChildOptions {
    ChildOptions(path: "/usr/bin/python3", arguments: ["-c", text])
  }
  static func shell(_ text: String) -> ChildOptions { ChildOptions(path: "/bin/sh", arguments: ["-c", text]) }

  /// Echoes each message; `die` ends it, `hang` silences it, `log` writes to its error output.
  static let echo = python(
    """
    import os, signal, socket, sys, time
    channel = socket.socket(fileno=3)
    data = b""
    while True:
        piece = channel.recv(65536)
        if not piece: break
        data += piece
        while b"\\0" in data:
            message, data = data.split(b"\\0", 1)
            if message == b"die": os._exit(7)
            if message == b"quit": os._exit(0)
            if message == b"crash": os.kill(os.getpid(), signal.SIGSEGV)
            if message == b"hang": time.sleep(1000)
            if message == b"log": print("a word", file=sys.stderr, flush=True)
            channel.sendall(message + b"\\0")
    """)

  /// Sends a message and returns the answer; throws at the end of the stream.
  static func ask(_ connection: BlockingConnection, _ text: String) throws -> String {
    try connection.send(text.utf8Span.span)
    guard let frame = try connection.receive() else { throw EndOfStream() }
    return String(decoding: frame.bytes, as: UTF8.self)
  }
}

struct EndOfStream: Error {}

/// Whether a process with this number exists, zombies included.
func exists(_ pid: Int32) -> Bool { kill(pid, 0) == 0 }
