import BrokerInterface
import Foundation
import UnixSocket

/// Reads the whole of one resource.
struct ResourceReader: Sendable {
  let asset: String
  /// Nil: the current rendition.
  let role: String?

  /// How many bytes one `ReadBytes` answers at most.
  private static let pieceBytes: Int64 = 524_288

  /// By descriptor; in pieces where none arrives.
  func read(on wire: Wire) throws -> Data {
    let data = try wire.call(Library.OpenResource.self, .init(asset: asset, role: role)) { reply, descriptors -> Data? in
      guard let number = descriptors.number(at: reply.descriptor) else { return nil }
      return try DescriptorBytes.read(number, size: reply.size)
    }
    if let data { return data }
    return try readPieces(on: wire)
  }

  private func readPieces(on wire: Wire) throws -> Data {
    var all = Data()
    while true {
      let piece = try wire.call(
        Library.ReadBytes.self, .init(asset: asset, role: role, offset: Int64(all.count), length: Self.pieceBytes))
      guard let bytes = Data(base64Encoded: piece.data) else {
        throw PhotoLibraryError(.badReply, "The broker's bytes are not base64.")
      }
      all.append(bytes)
      if piece.isLast { return all }
      guard !bytes.isEmpty else { throw PhotoLibraryError(.bytesUnavailable, "The broker stopped before the end of the bytes.") }
    }
  }
}
