import CLinux
import Foundation
import Synchronization
import UnixSocket
import Varlink

/// A broker that answers on a real socket from a script, and records its calls.
final class ScriptedBroker: Sendable {
  enum Answer: Sendable {
    case reply(String)
    /// A reply with more to follow.
    case continuing(String)
    /// A name without a dot belongs to the library's interface.
    case error(String, String)
    /// A reply with a memory file beside it.
    case file(String, [UInt8])
    case hangUp
    /// No answer, ever.
    case silence
  }

  /// Decides the answers by method, parameters, and the number of earlier calls of that method.
  typealias Script = @Sendable (_ method: String, _ parameters: String, _ times: Int) -> [Answer]

  let folder: URL
  var path: String { folder.path + "/photobroker.sock" }
  private let script: Script
  private let takesDescriptors: Bool
  private let received = Mutex<[Data]>([])
  private let asked = Mutex<[(method: String, parameters: String)]>([])
  private let open = Mutex<[BlockingConnection]>([])
  private let listener = Mutex<Listener?>(nil)
  private let connections = Mutex(0)

  /// - Parameter takesDescriptors: whether clients may send files; a kernel before 6.16 cannot
  ///   refuse them.
  init(takesDescriptors: Bool = false, _ script: @escaping Script) throws {
    self.takesDescriptors = takesDescriptors
    self.script = script
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("pb-" + UUID().uuidString.prefix(8))
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try start()
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func start() throws {
    let listener = try Listener(path: path, mode: 0o600)
    self.listener.withLock { $0 = listener }
    Thread.detachNewThread { [weak self] in
      while let self, self.listener.withLock({ $0 === listener }) {
        if let accepted = try? listener.accept()?.identified(),
          let wire = try? BlockingConnection(Self.duplicate(accepted.number))
        {
          if self.takesDescriptors { _ = clinux_set_pass_rights(accepted.number, 1) }
          self.open.withLock { $0.append(wire) }
          self.connections.withLock { $0 += 1 }
          Thread.detachNewThread { [weak self] in self?.serve(wire) }
        }
        usleep(2_000)
      }
    }
  }

  /// Closes the socket and all connections.
  func stop() {
    listener.withLock { $0 = nil }
    open.withLock { all in
      for connection in all { connection.shutdown() }
      all = []
    }
    // The listening thread closes the socket within one turn, and its file goes with it.
    while FileManager.default.fileExists(atPath: path) { usleep(1_000) }
  }

  var connectionCount: Int { connections.withLock { $0 } }

  func calls(_ method: String) -> [String] { asked.withLock { $0.filter { $0.method == method }.map(\.parameters) } }

  /// The contents of received files: regular ones from the beginning, pipes to their end.
  var handedIn: [Data] { received.withLock { $0 } }

  private static func duplicate(_ number: Int32) -> FileDescriptor {
    FileDescriptor(owning: fcntl(number, F_DUPFD_CLOEXEC, 3))
  }

  private func serve(_ connection: BlockingConnection) {
    while let frame = try? connection.receive(), let call = try? Call(message: frame.bytes) {
      let method = String(call.method.split(separator: ".").last ?? "")
      let parameters = String(decoding: call.rawParameters, as: UTF8.self)
      for number in frame.descriptors.numbers {
        let contents = Self.contents(number)
        received.withLock { $0.append(contents) }
      }
      let times = asked.withLock { asked in
        defer { asked.append((method, parameters)) }
        return asked.count { $0.method == method }
      }
      for answer in script(method, parameters, times) where !send(answer, connection) { return }
    }
  }

  private static func contents(_ number: Int32) -> Data {
    var all = Data()
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      var taken = pread(number, &piece, piece.count, off_t(all.count))
      if taken < 0 { taken = read(number, &piece, piece.count) }
      guard taken > 0 else { return all }
      all.append(contentsOf: piece.prefix(taken))
    }
  }

  private func send(_ answer: Answer, _ connection: BlockingConnection) -> Bool {
    switch answer {
    case .reply(let json): send(#"{"parameters":\#(json)}"#, connection)
    case .continuing(let json): send(#"{"parameters":\#(json),"continues":true}"#, connection)
    case .error(let name, let json):
      let qualified = name.contains(".") ? name : "io.photobroker.Library." + name
      send(#"{"error":"\#(qualified)","parameters":\#(json)}"#, connection)
    case .file(let json, let bytes):
      do {
        let file = FileDescriptor(owning: clinux_memory_file("test"))
        _ = write(file.number, bytes, bytes.count)
        try? connection.send(Array(#"{"parameters":\#(json)}"#.utf8).span, descriptors: OwnedDescriptors(file))
      }
    case .silence: break
    case .hangUp:
      connection.shutdown()
      return false
    }
    return true
  }

  private func send(_ message: String, _ connection: BlockingConnection) {
    try? connection.send(Array(message.utf8).span)
  }
}
