import Foundation
import MediaClient

/// A Python program that breaks the worker's protocol.
final class FakeWorker {
  private let folder: URL
  let path: String

  /// - Parameter answer: Python statements that see the request as `words`, its descriptors as
  ///   `fds`, and call `say(text)`.
  init(_ answer: String) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("fake-worker-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.appendingPathComponent("photobroker-media").path
    let body = answer.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
    let script = """
      #!/usr/bin/python3
      import os, socket, time
      channel = socket.socket(fileno=3)
      def say(text): channel.sendall(text if isinstance(text, bytes) else text.encode() + b"\\0")
      while True:
          data, fds, flags, address = socket.recv_fds(channel, 200, 4)
          if not data: break
          words = data[:-1].decode().split(" ")
          if words[0] == "ping":
              say("ok 0\\n")
              continue
          head = "ok " + words[1] + "\\n"
      \(body)

      """
    try Data(script.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}
