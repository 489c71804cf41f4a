import Foundation

/// Bytes that come in messages, one piece after the other.
enum Pieces {
  /// How many bytes one call answers at most.
  static let bytes: Int64 = 524_288

  /// All of them, from `read`, which is told where to go on.
  ///
  /// - Throws: `bytesUnavailable` where they end too early; what `read` throws.
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

  /// - Throws: `badReply`.
  static func decode(_ text: String) throws -> Data {
    guard let bytes = Data(base64Encoded: text) else {
      throw PhotoLibraryError(.badReply, "The broker's bytes are not base64.")
    }
    return bytes
  }
}
