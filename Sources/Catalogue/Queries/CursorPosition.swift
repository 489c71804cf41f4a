package import PhotoModel

/// Where a page ended: the sort value and identifier of its last row. It stays right while the library changes, and
/// even when that row is gone. It names an internal identifier: seal it before it leaves the broker, together with
/// what it was asked for.
package struct CursorPosition: Hashable, Sendable {
  package let sort: SortKey
  package let value: SortValue
  package let identifier: AssetIdentifier

  package init(sort: SortKey, value: SortValue, identifier: AssetIdentifier) {
    self.sort = sort
    self.value = value
    self.identifier = identifier
  }

  /// One byte of sort key, sixteen of identifier, then eight of integer or the text's bytes.
  package func encode() -> [UInt8] {
    var bytes = [sort.rawValue]
    for word in [identifier.high, identifier.low] { bytes.append(littleEndian: word) }
    switch value {
    case .integer(let value): bytes.append(littleEndian: UInt64(bitPattern: value))
    case .text(let text): bytes += text
    }
    return bytes
  }

  /// Reads what `encode` wrote.
  /// - Throws: `damagedCursor` for anything else.
  package init(decoding bytes: [UInt8]) throws(CatalogueError) {
    guard bytes.count >= 17, let sort = SortKey(rawValue: bytes[0]) else { throw .damagedCursor() }
    self.sort = sort
    identifier = AssetIdentifier(high: bytes.littleEndian64(at: 1), low: bytes.littleEndian64(at: 9))
    if sort == .fileName {
      guard bytes.count <= 17 + NameFold.limitBytes else { throw .damagedCursor() }
      value = .text(Array(bytes[17...]))
    } else {
      guard bytes.count == 25 else { throw .damagedCursor() }
      value = .integer(Int64(bitPattern: bytes.littleEndian64(at: 17)))
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append(littleEndian word: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) { append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
  }

  /// Eight bytes from `start`; the caller has checked that they are there.
  fileprivate func littleEndian64(at start: Int) -> UInt64 {
    (0..<8).reduce(0) { $0 | UInt64(self[start + $1]) << UInt64(8 * $1) }
  }
}
