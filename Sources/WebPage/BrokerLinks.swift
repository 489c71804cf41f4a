import Glibc
import Synchronization
import UnixSocket
import Varlink

/// Connections to the broker that are kept between requests. A broker that was restarted is found again by itself.
package final class BrokerLinks: Sendable {
  private let path: String
  private let idle = Mutex<[BrokerLink]>([])

  /// Connections that wait for the next request.
  private static let kept = 8

  package init(path: String) { self.path = path }

  /// Calls a method of `io.photobroker.Admin`.
  ///
  /// - Parameter isAbandoned: Asked while the answer does not come. Once true the connection is
  ///   closed, by which the broker knows that it need not go on.
  /// - Throws: `unavailable`, `lost`, `badReply`, `badRequest`, `abandoned`.
  func call(
    _ method: String, _ parameters: some VarlinkEncodable, isAbandoned: () -> Bool = { false }
  ) throws(PageError) -> Reply {
    if let link = idle.withLock({ $0.popLast() }) {
      do throws(PageError) { return try call(on: link, method, parameters, isAbandoned) } catch {
        if error.code == .abandoned { throw error }
        // What was kept may have been kept from a broker that has ended since. What may have
        // reached it is asked again only where that changes nothing.
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

  /// By its name: methods of the interface that only tell something are called so.
  static func changesNothing(_ method: String) -> Bool {
    ["List", "Fetch", "Get", "Read"].contains { method.hasPrefix($0) }
  }

  /// What became of a call for a file.
  enum FileAnswer {
    case bytes([UInt8])
    case refused(Reply)
  }

  /// Calls a method that answers with a file beside its words, on a connection of its own: it may take long.
  ///
  /// - Throws: as ``call(_:_:isAbandoned:)``; `badReply` for a file that is not there or longer than `limitBytes`.
  func file(
    _ method: String, _ parameters: some VarlinkEncodable, limitBytes: Int, isAbandoned: () -> Bool
  ) throws(PageError) -> FileAnswer {
    let link = try open()
    defer { link.end() }
    let outcome = try link.call("io.photobroker.Admin." + method, parameters, isAbandoned: isAbandoned) {
      reply, descriptors -> Result<FileAnswer, PageError> in
      guard reply.error == nil else { return .success(.refused(reply)) }
      guard let number = descriptors.numbers.first, let bytes = Self.contents(number, limitBytes) else {
        return .failure(PageError(.badReply, "The broker handed over no file that can be read."))
      }
      return .success(.bytes(bytes))
    }
    return try outcome.get()
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
