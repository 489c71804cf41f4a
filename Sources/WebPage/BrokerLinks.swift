import Glibc
import Synchronization
import UnixSocket
import Varlink

/// A pool of connections to the broker, which reconnects after the broker restarts.
package final class BrokerLinks: Sendable {
  let path: String
  private let idle = Mutex<[BrokerLink]>([])

  /// Idle connections to keep.
  private static let kept = 8

  package init(path: String) { self.path = path }

  /// Calls a method of `io.photobroker.Admin`.
  ///
  /// - Parameter isAbandoned: Polled while the reply is awaited. Once true the connection is
  ///   closed, which cancels the call in the broker.
  /// - Throws: `unavailable`, `lost`, `badReply`, `badRequest` or `abandoned`.
  func call(
    _ method: String, _ parameters: some VarlinkEncodable, isAbandoned: () -> Bool = { false }
  ) throws(PageError) -> Reply {
    if let link = idle.withLock({ $0.popLast() }) {
      do throws(PageError) { return try call(on: link, method, parameters, isAbandoned) } catch {
        if error.code == .abandoned { throw error }
        // An idle connection may belong to a broker that has ended since. A call that may have been
        // received is retried only if it changes nothing.
        idle.withLock { $0.removeAll() }
        guard error.code == .unavailable || (error.code == .lost && Self.changesNothing(method)) else { throw error }
      }
    }
    return try call(on: BrokerLink(path: path), method, parameters, isAbandoned)
  }

  private func call(
    on link: BrokerLink, _ method: String, _ parameters: some VarlinkEncodable, _ isAbandoned: () -> Bool
  ) throws(PageError) -> Reply {
    let reply = try link.call("io.photobroker.Admin." + method, parameters, isAbandoned: isAbandoned)
    idle.withLock { if $0.count < Self.kept { $0.append(link) } }
    return reply
  }

  /// Whether a method only reads, by the interface's naming rule.
  static func changesNothing(_ method: String) -> Bool {
    ["List", "Fetch", "Get", "Read"].contains { method.hasPrefix($0) }
  }

  enum FileAnswer {
    case bytes([UInt8])
    case refused(Reply)
  }

  /// Calls a method that replies with a file, on a connection of its own because it may take long.
  ///
  /// - Throws: as ``call(_:_:isAbandoned:)``; `badReply` for a file that is missing or longer than
  ///   `limitBytes`.
  func file(
    _ method: String, _ parameters: some VarlinkEncodable, limitBytes: Int, isAbandoned: () -> Bool
  ) throws(PageError) -> FileAnswer {
    let link = try open()
    defer { link.end() }
    let outcome = try link.call("io.photobroker.Admin." + method, parameters, isAbandoned: isAbandoned) {
      reply, descriptors -> Result<FileAnswer, PageError> in
      guard reply.error == nil else { return .success(.refused(reply)) }
      guard let number = descriptors.numbers.first, let bytes = Self.contents(number, limitBytes) else {
        return .failure(PageError(.badReply, "The broker sent no readable file. Try again."))
      }
      return .success(.bytes(bytes))
    }
    return try outcome.get()
  }

  /// Calls a method that takes a file, on a connection of its own: the broker takes files only after
  /// a first reply.
  ///
  /// - Throws: as ``call(_:_:isAbandoned:)``.
  func call(
    _ method: String, _ parameters: some VarlinkEncodable, file: consuming FileDescriptor
  ) throws(PageError) -> Reply {
    let link = try open()
    defer { link.end() }
    _ = try link.call("io.photobroker.Admin.GetStatus", JSONObject())
    return try link.call("io.photobroker.Admin." + method, parameters, descriptors: OwnedDescriptors(file))
  }

  private static func contents(_ number: Int32, _ limitBytes: Int) -> [UInt8]? {
    let size = lseek(number, 0, SEEK_END)
    guard size >= 0, size <= limitBytes else { return nil }
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size {
        let got = pread(number, buffer.baseAddress.map { $0 + count }, size - count, count)
        guard got > 0 else { return }
        count += got
      }
    }
  }

  func open() throws(PageError) -> BrokerLink { try BrokerLink(path: path) }
}
