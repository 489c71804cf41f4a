/// A whole catalogue as bytes, for a quick next start. It is a copy of the rows, which stay
/// authoritative.
extension Catalogue {
  /// Changes with every change of the bytes' meaning.
  private static let format: UInt64 = 0x5042_6361_7400_0004

  /// Whether the assets lie as `CatalogueBuilder` places them, so that the bytes are complete. If
  /// not, compact it first.
  package var isCompact: Bool { backlog == 0 && recent.isEmpty }

  /// Writes the catalogue in pieces of 256 KiB, without prepared orders. Takes about 100 ms for a
  /// million assets, besides the sink's time, so it belongs on a worker.
  /// - Parameter sink: Takes the next bytes; false if it could not.
  /// - Returns: Whether all bytes were taken; false also for a catalogue that is not compact.
  package func encode(to sink: @escaping (UnsafeRawBufferPointer) -> Bool) -> Bool {
    guard isCompact else { return false }
    var writer = SlabWriter(to: sink)
    writer.put(Self.format)
    columns.encode(to: &writer)
    index.encode(to: &writer)
    numbers.encode(to: &writer)
    attributes.encode(to: &writer)
    return writer.finish()
  }

  /// Reads bytes that `encode` wrote. The catalogue keeps the first part of them in use.
  /// - Parameter bytesInUse: Length of that part.
  /// - Throws: `damagedCopy` for bytes that `encode` cannot have written.
  package init(decoding slab: Slab, bytesInUse: inout Int) throws(CatalogueError) {
    var reader = SlabReader(slab)
    guard try reader.word() == Self.format else { throw .damagedCopy("it is in a form of another release") }
    let columns = try Columns(decoding: &reader)
    let index = try IdentifierIndex(decoding: &reader, slots: columns.count)
    bytesInUse = reader.offset
    // Copied, because these change in place.
    let numbers = try NumberTable(decoding: &reader, slots: columns.count)
    let attributes = try Attributes(decoding: &reader, slots: columns.count)
    try reader.expect(reader.isAtEnd && attributes.living.count == Int(columns.count))
    self.init(columns: columns, numbers: numbers, index: index, attributes: attributes)
  }
}
