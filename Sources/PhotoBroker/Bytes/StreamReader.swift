import BrokerInterface
import Foundation
import UnixSocket

struct StreamReader: Sendable {
  let asset: String
  /// Nil means the current file, edited if there is an edited one.
  let role: String?

  private static let pieceBytes = 65_536

  /// Reads the pipe to its end, then the broker's verdict: the pipe alone does not tell a complete
  /// stream from one that a revocation cut off.
  func read(on wire: Wire, progress: (Double) -> Void) throws -> Data {
    try wire.follow(Library.StreamResource.self, .init(asset: asset, role: role))
    let first = try wire.receive(Library.StreamResource.self) { reply, descriptors -> Data? in
      guard let number = descriptors.number(at: reply.descriptor) else { return nil }
      return try Self.drain(number, size: reply.size, progress)
    }
    guard let data = first.0 else {
      throw PhotoLibraryError(
        .bytesUnavailable, "No pipe came with the broker's answer; request the data without progress.")
    }
    var continues = first.continues
    while continues {
      let (reply, more) = try wire.receive(Library.StreamResource.self)
      if reply.isComplete {
        guard reply.sent == data.count else { break }
        progress(1)
        return data
      }
      continues = more
    }
    throw PhotoLibraryError(.bytesUnavailable, "The stream ended before all bytes had come; request the data again.")
  }

  private static func drain(_ pipe: Int32, size: Int64?, _ progress: (Double) -> Void) throws -> Data {
    var data = Data()
    var piece = [UInt8](repeating: 0, count: pieceBytes)
    while true {
      let taken = piece.withUnsafeMutableBytes { Foundation.read(pipe, $0.baseAddress, $0.count) }
      if taken == 0 { return data }
      if taken > 0 {
        data.append(contentsOf: piece.prefix(taken))
        if let size, size > 0 { progress(min(1, Double(data.count) / Double(size))) }
      } else if errno == EAGAIN {
        var waited = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
        _ = poll(&waited, 1, -1)
      } else if errno != EINTR {
        throw PhotoLibraryError(.bytesUnavailable, "The broker's pipe cannot be read.")
      }
    }
  }
}
