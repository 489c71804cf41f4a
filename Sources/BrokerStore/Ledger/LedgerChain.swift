import Cryptography

/// The seals of a library's ledger. Each block's head is an HMAC-SHA256, under a key of the
/// library's own, of the head before, the block's first and last number, and its bytes. An edited,
/// removed or moved block breaks the chain.
struct LedgerChain {
  static let start = [UInt8](repeating: 0, count: Digest.byteCount)

  private let code: HMACSHA256
  private let rowCode: HMACSHA256

  init(rootKey: [UInt8]) throws(SQLiteError) {
    do throws(CryptographyError) {
      func made(_ purpose: String) throws(CryptographyError) -> HMACSHA256 {
        try HMACSHA256(
          key: HKDF.derive(
            from: SecretBytes(copying: rootKey.span), info: Array(purpose.utf8), count: Digest.byteCount))
      }
      (code, rowCode) = (try made("photobroker ledger 1"), try made("photobroker ledger row 1"))
    } catch { throw SQLiteError(.input, "\(error)") }
  }

  func head(after head: [UInt8], first: Int64, last: Int64, entries: [UInt8]) throws(SQLiteError) -> [UInt8] {
    var message = head
    message.reserveCapacity(head.count + 16 + entries.count)
    for number in [first, last] { withUnsafeBytes(of: number.bigEndian) { message.append(contentsOf: $0) } }
    message += entries
    do { return try code.authenticate(message.span).bytes } catch { throw SQLiteError(.input, "\(error)") }
  }

  /// The seal of a ledger's row.
  func seal(next: Int64, anchor: [UInt8], head: [UInt8]) throws(SQLiteError) -> [UInt8] {
    var message = anchor + head
    withUnsafeBytes(of: next.bigEndian) { message.append(contentsOf: $0) }
    do { return try rowCode.authenticate(message.span).bytes } catch { throw SQLiteError(.input, "\(error)") }
  }
}
