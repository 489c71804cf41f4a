import PhotoModel

/// The conditions of a query that no set of slots expresses, tested for each asset that passes the
/// sets.
struct RowFilter {
  var anySubtypes: MediaSubtypes = []
  var created: ClosedRange<Int64>?
  /// The key whose values `created` bounds.
  var dateKey = SortKey.creationDate
  var addedFrom: Int64?
  var box: GeoBox?
  var place: UInt32?
  var text: [UInt8] = []
  var fileName: [UInt8]?

  /// Whether every row matches, so that counting needs no rows.
  var isTrivial: Bool {
    anySubtypes.isEmpty && created == nil && addedFrom == nil && box == nil && place == nil && text.isEmpty
      && fileName == nil
  }

  func matches(_ slot: UInt32, _ columns: Columns) -> Bool {
    if !anySubtypes.isEmpty, columns.traits(slot).subtypes.isDisjoint(with: anySubtypes) { return false }
    if let created, case .integer(let date) = columns.sortValue(dateKey, slot), !created.contains(date) {
      return false
    }
    if let addedFrom, columns[.added, slot] < addedFrom { return false }
    if let box, !box.contains(columns.location(slot)) { return false }
    if let place, columns[.place, slot] != Int64(place) + 1 { return false }
    if let fileName, !columns.names.withBytes(slot, { Self.isName($0, fileName) }) { return false }
    return text.isEmpty || columns.names.withBytes(slot) { NameFold.contains($0, text) }
  }

  /// Whether both names are equal in any Unicode form; macOS decomposes accented letters.
  private static func isName(_ name: UnsafeBufferPointer<UInt8>, _ wanted: [UInt8]) -> Bool {
    if name.elementsEqual(wanted) { return true }
    let isPlain = { (byte: UInt8) in byte < 0x80 }
    return !name.allSatisfy(isPlain) && !wanted.allSatisfy(isPlain)
      && String(decoding: name, as: UTF8.self) == String(decoding: wanted, as: UTF8.self)
  }
}
