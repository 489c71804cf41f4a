import Limits

/// The uploads of one connection; they end with it.
struct Uploads {
  private var open: [String: [UInt8]] = [:]
  private var next = 0
  /// Bytes of all of them.
  private(set) var total = 0

  /// Nil where there are too many.
  mutating func begin() -> String? {
    guard open.count < ServiceLimits.uploadsPerConnection else { return nil }
    next += 1
    open[String(next)] = []
    return String(next)
  }

  func isOpen(_ upload: String) -> Bool { open[upload] != nil }

  /// How many bytes the upload has now; nil where all uploads together would be too large.
  mutating func append(_ bytes: [UInt8], to upload: String) -> Int? {
    guard total + bytes.count <= ServiceLimits.uploadBytes else { return nil }
    total += bytes.count
    open[upload]?.append(contentsOf: bytes)
    return open[upload]?.count
  }

  mutating func take(_ upload: String) -> [UInt8]? {
    guard let bytes = open.removeValue(forKey: upload) else { return nil }
    total -= bytes.count
    return bytes
  }
}
