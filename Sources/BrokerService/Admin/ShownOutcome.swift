import Broker
import Catalogue
import Cryptography
import PhotoModel

/// Names the outcome that a person was shown, so that the call that follows does exactly this.
enum ShownOutcome {
  /// Nil if the digest cannot be computed.
  static func name(_ bytes: [UInt8]) -> String? {
    (try? SHA256.digest(of: bytes)).map { Hex.text(Array($0.bytes.prefix(16))) }
  }

  static func name(added: [AssetNumber], removed: [AssetNumber] = []) -> String? {
    name(bytes(of: added) + [UInt8](repeating: 0xFF, count: 4) + bytes(of: removed))
  }

  /// In ascending order, because a compacted catalogue orders them differently.
  static func bytes(of assets: [AssetNumber]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(assets.count * 4)
    for asset in assets.sorted() { withUnsafeBytes(of: asset.rawValue.littleEndian) { bytes += $0 } }
    return bytes
  }
}

extension BrokerError {
  static func outcomeChanged() -> Self {
    .refused(
      .outcomeChanged,
      "Nothing was applied, because the result would differ from the preview by now; look at a new preview.")
  }
}
