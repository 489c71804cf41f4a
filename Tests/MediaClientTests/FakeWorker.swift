import Foundation
import MediaClient

/// A Python program that breaks the workers' protocol, in place of both.
final class FakeWorker {
  let folder: String

  /// - Parameter answer: Python statements that see the request as `words`, its descriptors as
  ///   `fds`, whether this is the worker for videos as `hasVideos`, and call `say(text)`.
  init(_ answer: String) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("fake-worker-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let body = answer.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
    let script = """
      #!/usr/bin/python3
      import os, socket, time
      channel = socket.socket(fileno=3)
      hasVideos = __file__.endswith("-video")
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
    for program in MediaWorker.programs {
      let path = "\(folder)/\(program)"
      try Data(script.utf8).write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }
}
