import Cryptography
import Glibc
import PhotoModel
import PluginHost
import PluginKit

enum PluginDigest {
  private static let pieceBytes = 1 << 18

  static func isDigest(_ text: String) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  /// Computes the digest of a whole file, independent of the descriptor's position.
  /// - Parameter each: receives each piece after it was hashed.
  /// - Throws: `failed` if it cannot be read; `unsupported` if it is longer than a plugin may be.
  static func of(
    _ file: Int32, each: (UnsafeRawBufferPointer) throws(PluginFailure) -> Void = { _ in }
  ) throws(PluginFailure) -> String {
    var piece = [UInt8](repeating: 0, count: pieceBytes)
    var offset = 0
    do {
      let hash = try SHA256()
      while true {
        let count = pread(file, &piece, piece.count, off_t(offset))
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else {
          throw PluginFailure(.failed, "It cannot be read: \(String(cString: strerror(errno))).")
        }
        if count == 0 { return Hex.text(try hash.finish().bytes) }
        offset += count
        guard offset <= PluginFile.limitBytes else {
          throw PluginFailure(
            .unsupported, "It is larger than \(PluginFile.limitBytes >> 20) MiB, the limit for a plugin.")
        }
        try piece.withUnsafeBytes { bytes in
          let part = UnsafeRawBufferPointer(rebasing: bytes[..<count])
          try hash.update(part)
          try each(part)
        }
      }
    } catch let failure as PluginFailure {
      throw failure
    } catch {
      throw PluginFailure(.failed, "SHA-256 is not available: \(error)")
    }
  }
}
