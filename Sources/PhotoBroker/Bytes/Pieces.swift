import Foundation

enum Pieces {
  /// Maximum number of bytes in one reply.
  static let bytes: Int64 = 524_288

  /// Collects all bytes. `read` takes the offset of the next piece.
  ///
  /// - Throws: `bytesUnavailable` if they end too early; the errors of `read`.
  static func all(_ read: (Int64) throws -> (Data, isLast: Bool)) throws -> Data {
    var all = Data()
    while true {
      let (piece, isLast) = try read(Int64(all.count))
      all.append(piece)
      if isLast { return all }
      guard !piece.isEmpty else {
        throw PhotoLibraryError(.bytesUnavailable, "The broker stopped before the end of the bytes.")
      }
    }
  }

  static func decode(_ text: String) throws -> Data {
    guard let bytes = Data(base64Encoded: text) else {
      throw PhotoLibraryError(.badReply, "The broker's bytes are not base64.")
    }
    return bytes
  }
}
