package import PhotoModel

/// The end of a page: the sort value and identifier of its last row. It stays valid while the
/// library changes, even after that row is removed. It holds an internal identifier, so seal it
/// together with its query before it leaves the broker.
package struct CursorPosition: Hashable, Sendable {
  package let sort: SortKey
  package let value: SortValue
  package let identifier: AssetIdentifier
  /// Neighbours in an order made by people, which no value expresses: the last rows of the page and
  /// the first of the next.
  package let neighbours: Neighbours?

  /// The rows around the end of a page, in its order. A few of each, because some may be moved or
  /// removed by the next page.
  package struct Neighbours: Hashable, Sendable {
    package static let limit = 4
    package let given: [AssetIdentifier]
    package let coming: [AssetIdentifier]

    /// - Parameter end: Number of rows up to the page's end; at least one.
    package init(in ordered: [AssetIdentifier], end: Int) {
      given = Array(ordered[..<end].suffix(Self.limit))
      coming = Array(ordered[end...].prefix(Self.limit))
    }

    fileprivate init(given: [AssetIdentifier], coming: [AssetIdentifier]) {
      self.given = given
      self.coming = coming
    }
  }

  package init(sort: SortKey, value: SortValue, identifier: AssetIdentifier, neighbours: Neighbours? = nil) {
    self.sort = sort
    self.value = value
    self.identifier = identifier
    self.neighbours = neighbours
  }

  /// The sort key (1 byte), the identifier (16), then the integer (8) or the text's bytes. After an
  /// integer, neighbours may follow: the number of `given` (1), then 16 bytes for each neighbour.
  package func encode() -> [UInt8] {
    var bytes = [sort.rawValue]
    bytes.append(identifier)
    switch value {
    case .integer(let value): bytes.append(littleEndian: UInt64(bitPattern: value))
    case .text(let text): bytes += text
    }
    if let neighbours {
      bytes.append(UInt8(neighbours.given.count))
      for one in neighbours.given + neighbours.coming { bytes.append(one) }
    }
    return bytes
  }

  /// Reads the bytes of `encode`.
  /// - Throws: `damagedCursor` for other bytes.
  package init(decoding bytes: [UInt8]) throws(CatalogueError) {
    guard bytes.count >= 17, let sort = SortKey(rawValue: bytes[0]) else { throw .damagedCursor() }
    self.sort = sort
    identifier = bytes.identifier(at: 1)
    if sort == .fileName {
      guard bytes.count <= 17 + NameFold.limitBytes else { throw .damagedCursor() }
      value = .text(Array(bytes[17...]))
      neighbours = nil
    } else {
      guard bytes.count >= 25 else { throw .damagedCursor() }
      value = .integer(Int64(bitPattern: bytes.littleEndian64(at: 17)))
      neighbours = bytes.count == 25 ? nil : try Self.neighbours(bytes[25...])
    }
  }

  private static func neighbours(_ bytes: ArraySlice<UInt8>) throws(CatalogueError) -> Neighbours {
    let (given, rest) = (Int(bytes[bytes.startIndex]), bytes.dropFirst())
    guard rest.count % 16 == 0, given <= Neighbours.limit, given <= rest.count / 16,
      rest.count / 16 <= given + Neighbours.limit
    else {
      throw .damagedCursor()
    }
    let all = stride(from: 0, to: rest.count, by: 16).map { Array(rest).identifier(at: $0) }
    return Neighbours(given: Array(all[..<given]), coming: Array(all[given...]))
  }
}

extension [UInt8] {
  fileprivate mutating func append(littleEndian word: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) { append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
  }

  fileprivate mutating func append(_ identifier: AssetIdentifier) {
    for word in [identifier.high, identifier.low] { append(littleEndian: word) }
  }

  fileprivate func identifier(at start: Int) -> AssetIdentifier {
    AssetIdentifier(high: littleEndian64(at: start), low: littleEndian64(at: start + 8))
  }

  fileprivate func littleEndian64(at start: Int) -> UInt64 {
    (0..<8).reduce(0) { $0 | UInt64(self[start + $1]) << UInt64(8 * $1) }
  }
}
