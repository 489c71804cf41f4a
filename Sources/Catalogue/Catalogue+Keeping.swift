/// A whole catalogue as bytes, so that the next start need not lay out every row again. A copy: the
/// rows remain what counts.
extension Catalogue {
  /// Changes whenever the bytes come to mean something else.
  private static let format: UInt64 = 0x5042_6361_7400_0002

  /// Whether the assets lie as `CatalogueBuilder` lays them down, so that the bytes say everything there is; where not,
  /// lay it out anew first.
  package var isCompact: Bool { backlog == 0 && recent.isEmpty }

  /// Writes the catalogue in pieces of 256 KiB. Prepared orders are not part of it. About 100 ms
  /// for a million assets, besides what the sink takes: meant for a worker.
  /// - Parameter sink: Takes the next bytes; false where it could not.
  /// - Returns: Whether all of it was taken; false also where the catalogue is not compact.
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

  /// Reads what `encode` wrote; the catalogue goes on living in the first part of these bytes.
  /// - Parameter bytesInUse: How long that part is.
  /// - Throws: `damagedCopy` for anything that cannot be what `encode` writes.
  package init(decoding slab: Slab, bytesInUse: inout Int) throws(CatalogueError) {
    var reader = SlabReader(slab)
    guard try reader.word() == Self.format else { throw .damagedCopy("it is in a form of another release") }
    let columns = try Columns(decoding: &reader)
    let index = try IdentifierIndex(decoding: &reader, slots: columns.count)
    bytesInUse = reader.offset
    // These change in place, so they are copied.
    let numbers = try NumberTable(decoding: &reader, slots: columns.count)
    let attributes = try Attributes(decoding: &reader, slots: columns.count)
    try reader.expect(reader.isAtEnd && attributes.living.count == Int(columns.count))
    self.init(columns: columns, numbers: numbers, index: index, attributes: attributes)
  }
}
