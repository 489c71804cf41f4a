import PhotoModel

/// The fields of all assets by slot, without knowledge of order, removal or views.
///
/// The integer columns share one array, so a copy of this value counts few references.
struct Columns: Sendable {
  enum Field: Int, CaseIterable {
    case number, created, placeShift, added, modified, traits, width, height, duration, latitude, longitude, place,
      version

    /// Cached, because `allCases` makes an array each time.
    static let all = allCases
  }

  private(set) var identifiers = ChunkedArray<AssetIdentifier>()
  private(set) var names = NameColumn()
  private var integers = [PackedColumn](repeating: PackedColumn(), count: Field.allCases.count)

  init() {}

  var count: UInt32 { UInt32(truncatingIfNeeded: identifiers.count) }

  subscript(field: Field, slot: UInt32) -> Int64 { integers[field.rawValue][slot] }

  subscript(field: Field) -> PackedColumn { integers[field.rawValue] }

  mutating func append(_ row: AssetRow) {
    identifiers.append(row.identifier)
    for field in Field.all { integers[field.rawValue].append(Self.value(field, row)) }
    names.append(NameColumn.bytes(row.fileName))
  }

  /// Overwrites all fields but identifier and number.
  mutating func set(_ slot: UInt32, to row: AssetRow) {
    for field in Field.all where field != .number { integers[field.rawValue].set(slot, to: Self.value(field, row)) }
    names.set(slot, to: NameColumn.bytes(row.fileName))
  }

  @inline(__always)
  private static func value(_ field: Field, _ row: AssetRow) -> Int64 {
    switch field {
    case .number: Int64(row.number.rawValue)
    case .created: order(row.creationDate)
    case .placeShift: row.creationDate == nil ? 0 : Int64(row.placeShiftMinutes)
    case .added: row.addedDate.microseconds
    case .modified: row.modificationDate.microseconds
    case .traits: Traits(row).packed
    case .width: Int64(row.width)
    case .height: Int64(row.height)
    case .duration: Int64(row.durationMilliseconds)
    case .latitude: Int64(row.location?.latitudeE7 ?? 0)
    case .longitude: Int64(row.location?.longitudeE7 ?? 0)
    case .place: row.place.map { Int64($0) + 1 } ?? 0
    case .version: Int64(row.version)
    }
  }

  func row(_ slot: UInt32) -> AssetRow { rows([slot])[0] }

  func rows(_ slots: [UInt32]) -> [AssetRow] {
    zip(facts(slots), slots).map { AssetRow($0, fileName: name($1)) }
  }

  /// Reads column by column, which looks up fewer blocks than asset by asset.
  func facts(_ slots: [UInt32]) -> [AssetFacts] {
    let count = slots.count
    return withUnsafeTemporaryAllocation(of: Int64.self, capacity: max(1, Field.all.count * count)) { values in
      slots.withUnsafeBufferPointer { slots in
        for field in Field.all.indices {
          integers[field].read(
            slots, into: UnsafeMutableBufferPointer(rebasing: values[field * count..<(field + 1) * count]))
        }
      }
      return [AssetFacts](unsafeUninitializedCapacity: count) { result, filled in
        for index in 0..<count {
          result.initializeElement(at: index, to: facts(at: index, of: count, values, slots[index]))
        }
        filled = count
      }
    }
  }

  @inline(__always)
  private func facts(at index: Int, of count: Int, _ values: UnsafeMutableBufferPointer<Int64>, _ slot: UInt32)
    -> AssetFacts
  {
    func value(_ field: Field) -> Int64 { values[field.rawValue * count + index] }
    let traits = Traits(packed: value(.traits))
    let created = value(.created)
    let place = value(.place)
    let location = GeoPoint(
      latitudeE7: Int32(truncatingIfNeeded: value(.latitude)), longitudeE7: Int32(truncatingIfNeeded: value(.longitude))
    )
    return AssetFacts(
      number: AssetNumber(UInt32(truncatingIfNeeded: value(.number))), identifier: identifiers[slot],
      creationDate: created == .min ? nil : Timestamp(microseconds: created), dateOrigin: traits.dateOrigin,
      zoneMinutes: traits.zoneMinutes, placeShiftMinutes: Int16(truncatingIfNeeded: value(.placeShift)),
      addedDate: Timestamp(microseconds: value(.added)), modificationDate: Timestamp(microseconds: value(.modified)),
      mediaType: traits.mediaType, subtypes: traits.subtypes, flags: traits.flags,
      width: UInt32(truncatingIfNeeded: value(.width)), height: UInt32(truncatingIfNeeded: value(.height)),
      durationMilliseconds: UInt32(truncatingIfNeeded: value(.duration)), location: traits.hasLocation ? location : nil,
      place: place == 0 ? nil : UInt32(truncatingIfNeeded: place - 1),
      version: UInt32(truncatingIfNeeded: value(.version)))
  }

  func traits(_ slot: UInt32) -> Traits { Traits(packed: self[.traits, slot]) }

  /// Meaningful only if the asset has a location.
  func location(_ slot: UInt32) -> GeoPoint {
    GeoPoint(
      latitudeE7: Int32(truncatingIfNeeded: self[.latitude, slot]),
      longitudeE7: Int32(truncatingIfNeeded: self[.longitude, slot]))
  }

  func name(_ slot: UInt32) -> String { names.withBytes(slot) { String(decoding: $0, as: UTF8.self) } }

  func gathered(_ slots: [UInt32]) -> Columns {
    var result = Columns()
    for slot in slots { result.identifiers.append(identifiers[slot]) }
    result.integers = integers.map { $0.gathered(slots) }
    result.names = names.gathered(slots)
    return result
  }

  func encode(to writer: inout SlabWriter) {
    identifiers.encode(to: &writer)
    for column in integers { column.encode(to: &writer) }
    names.encode(to: &writer)
  }

  init(decoding reader: inout SlabReader) throws(CatalogueError) {
    identifiers = try ChunkedArray(decoding: &reader)
    for field in Field.all { integers[field.rawValue] = try PackedColumn(decoding: &reader, rows: identifiers.count) }
    names = try NameColumn(decoding: &reader, rows: identifiers.count)
  }

  static func order(_ date: Timestamp?) -> Int64 { date?.microseconds ?? .min }

  /// Wraps around instead of trapping: damaged bytes may hold any values.
  static func shifted(_ microseconds: Int64, _ minutes: Int64) -> Int64 { microseconds &+ minutes &* 60_000_000 }
}
