import Cryptography

func secret(_ hex: String) throws -> SecretBytes { SecretBytes(copying: try Hex.decode(hex)) }

extension SecretBytes {
  var hex: String { withUnsafeBytes { Hex.encode([UInt8]($0)) } }
}
