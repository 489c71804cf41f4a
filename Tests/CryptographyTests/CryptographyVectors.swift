import Cryptography
import PhotoModel
import Testing

func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.bytes(hex)) }

func secret(_ hex: String) throws -> SecretBytes { SecretBytes(copying: try bytes(hex)) }

extension SecretBytes {
  var hex: String { withUnsafeBytes { Hex.text($0) } }
}
