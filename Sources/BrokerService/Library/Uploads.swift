import Limits

/// The uploads of one connection; they end with it.
struct Uploads {
  /// Bytes in pieces, so that growth does not copy them.
  private struct Upload {
    var pieces: [[UInt8]] = []
    var count = 0

    /// Small pieces are merged, because each costs more than its bytes.
    mutating func append(_ bytes: [UInt8]) {
      count += bytes.count
      if let last = pieces.last?.count, last + bytes.count <= ServiceLimits.pieceBytes {
        pieces[pieces.endIndex - 1] += bytes
      } else {
        pieces.append(bytes)
      }
    }
  }

  private var open: [String: Upload] = [:]
  private var next = 0
  private(set) var total = 0

  /// Begins an upload; nil if there are too many.
  mutating func begin() -> String? {
    guard open.count < ServiceLimits.uploadsPerConnection else { return nil }
    next += 1
    open[String(next)] = Upload()
    return String(next)
  }

  func isOpen(_ upload: String) -> Bool { open[upload] != nil }

  /// Appends to an upload and returns its length in bytes; nil if all uploads together would be too
  /// large.
  mutating func append(_ bytes: [UInt8], to upload: String) -> Int? {
    guard total + bytes.count <= ServiceLimits.uploadBytes else { return nil }
    total += bytes.count
    open[upload]?.append(bytes)
    return open[upload]?.count
  }

  mutating func take(_ upload: String) -> [[UInt8]]? {
    guard let upload = open.removeValue(forKey: upload) else { return nil }
    total -= upload.count
    return upload.pieces
  }
}
