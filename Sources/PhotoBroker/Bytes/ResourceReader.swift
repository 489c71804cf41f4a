import BrokerInterface
import Foundation
import UnixSocket

/// Reads the whole of one resource.
struct ResourceReader: Sendable {
  let asset: String
  /// Nil: the current rendition.
  let role: String?

  /// By descriptor; in pieces where none arrives, and where the file is too large for one.
  func read(on wire: Wire) throws -> Data {
    do {
      let data = try wire.call(Library.OpenResource.self, .init(asset: asset, role: role)) {
        reply, descriptors -> Data? in
        guard let number = descriptors.number(at: reply.descriptor) else { return nil }
        return try DescriptorBytes.read(number, size: reply.size)
      }
      if let data { return data }
    } catch let error as PhotosError where error.code == .requestNotSupportedForAsset {
      // Pieces have no such limit.
    }
    return try Pieces.all { try readPiece(at: $0, length: Pieces.bytes, on: wire) }
  }

  /// At most so many bytes, and whether they are the last.
  func readPiece(at offset: Int64, length: Int64, on wire: Wire) throws -> (Data, isLast: Bool) {
    let piece = try wire.call(
      Library.ReadBytes.self, .init(asset: asset, role: role, offset: offset, length: min(length, Pieces.bytes)))
    return (try Pieces.decode(piece.data), piece.isLast)
  }
}
