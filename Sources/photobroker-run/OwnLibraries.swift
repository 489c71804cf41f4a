import BrokerInterface
import Foundation
import Monitor
import UnixSocket
import Varlink

/// The caller's own libraries, from the admin socket.
enum OwnLibraries {
  /// The admin sockets of all brokers on this machine, in any runtime folder. Nil if the kernel's
  /// list cannot be read.
  static var adminSockets: [String]? {
    // Foundation reads only the beginning of files whose size is reported as 0.
    guard let list = fopen("/proc/net/unix", "re") else { return nil }
    defer { fclose(list) }
    var (line, capacity, found) = (nil as UnsafeMutablePointer<CChar>?, 0, ["/run/photobroker/admin.sock"])
    defer { free(line) }
    while getline(&line, &capacity, list) > 0, let text = line.map({ String(cString: $0) }) {
      // A line ends with the socket's path, if it has one.
      if let start = text.firstIndex(of: "/"), text.hasSuffix("/admin.sock\n") {
        found.append(String(text[start...].dropLast()))
      }
    }
    return ferror(list) == 0 ? found : nil
  }

  /// Folders by library; empty if the caller owns none or may not use the socket. Nil if the broker
  /// did not answer, so that the folders to hide are unknown.
  static func folders(_ path: String) -> [(library: String, folder: String)]? {
    let connection: BlockingConnection
    do {
      connection = try BlockingConnection(path: path, timeout: .seconds(10), limitBytes: 16 << 20)
    } catch {
      return [ENOENT, EACCES, EPERM].contains(error.cause) ? [] : nil
    }
    var writer = JSONWriter()
    writer.appendCall(Admin.ListLibraries.name, Admin.ListLibraries.Parameters(), more: false)
    // `send` adds the terminating zero byte.
    guard (try? connection.send(Array(writer.bytes.dropLast()).span, descriptors: OwnedDescriptors())) != nil,
      let frame = try? connection.receive(deadline: .after(.seconds(10))), let reply = try? Reply(message: frame.bytes),
      reply.error == nil,
      let answer = try? reply.decode(Admin.ListLibraries.Reply.self)
    else { return nil }
    return answer.libraries.compactMap { library in
      guard library.owner == Int64(getuid()), library.backend == "directory", let folder = library.options?["path"]
      else { return nil }
      return (library.name, folder)
    }
  }
}
