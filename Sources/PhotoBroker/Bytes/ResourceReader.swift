import BrokerInterface
import Foundation
import UnixSocket

struct ResourceReader: Sendable {
  let asset: String
  /// Nil means the current file, edited if there is an edited one.
  let role: String?

  /// Reads by descriptor, or in pieces if none arrives or the file is too large for one.
  func read(on wire: Wire) throws -> Data {
    do {
      let data = try wire.call(Library.OpenResource.self, .init(asset: asset, role: role)) {
        reply, descriptors -> Data? in
        guard let number = descriptors.number(at: reply.descriptor) else { return nil }
        return try DescriptorBytes.read(number, size: reply.size)
      }
      if let data { return data }
    } catch let error as PhotosError where error.code == .requestNotSupportedForAsset {
      // Too large for a descriptor; pieces have no such limit.
    }
    return try Pieces.all { try readPiece(at: $0, length: Pieces.bytes, on: wire) }
  }

  func readPiece(at offset: Int64, length: Int64, on wire: Wire) throws -> (Data, isLast: Bool) {
    let piece = try wire.call(
      Library.ReadBytes.self, .init(asset: asset, role: role, offset: offset, length: min(length, Pieces.bytes)))
    return (try Pieces.decode(piece.data), piece.isLast)
  }
}
