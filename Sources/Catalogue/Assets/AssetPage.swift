/// Some assets with all their fields and their names in one buffer. A page is written from it
/// without a string or an allocation for each asset.
package struct AssetPage: Sendable {
  /// In the page's order.
  package let facts: [AssetFacts]
  private let names: [UInt8]
  /// End of each name in `names`.
  private let nameEnds: [Int32]

  /// Reads the columns of these slots, in their order.
  init(_ columns: Columns, _ slots: [UInt32]) {
    facts = columns.facts(slots)
    (names, nameEnds) = columns.names.gathered(slots)
  }

  package init(_ rows: [AssetRow]) {
    facts = rows.map(\.facts)
    var (names, ends): ([UInt8], [Int32]) = ([], [])
    for row in rows {
      names += NameColumn.bytes(row.fileName)
      ends.append(Int32(truncatingIfNeeded: names.count))
    }
    (self.names, nameEnds) = (names, ends)
  }

  package var count: Int { facts.count }

  /// Lends all names. `body` gets each name's UTF-8 bytes by its index in the page.
  package func withNames<R>(_ body: (Names) -> R) -> R {
    names.withUnsafeBufferPointer { bytes in
      nameEnds.withUnsafeBufferPointer { ends in body(Names(bytes: bytes, ends: ends)) }
    }
  }

  package struct Names {
    let bytes: UnsafeBufferPointer<UInt8>
    let ends: UnsafeBufferPointer<Int32>

    package subscript(index: Int) -> UnsafeBufferPointer<UInt8> {
      let start = index == 0 ? 0 : Int(ends[index - 1])
      return UnsafeBufferPointer(rebasing: bytes[start..<Int(ends[index])])
    }
  }
}
