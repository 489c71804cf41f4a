import PhotoModel

/// The fields of all assets by slot. Nothing here knows of order, removal or views.
struct Columns: Sendable {
  private(set) var identifiers = ChunkedArray<AssetIdentifier>()
  private(set) var numbers = PackedColumn()
  private(set) var created = PackedColumn()
  private(set) var added = PackedColumn()
  private(set) var modified = PackedColumn()
  private(set) var traits = PackedColumn()
  private(set) var widths = PackedColumn()
  private(set) var heights = PackedColumn()
  private(set) var durations = PackedColumn()
  private(set) var latitudes = PackedColumn()
  private(set) var longitudes = PackedColumn()
  private(set) var places = PackedColumn()
  private(set) var versions = PackedColumn()
  private(set) var names = NameColumn()

  var count: UInt32 { UInt32(truncatingIfNeeded: identifiers.count) }

  mutating func append(_ row: AssetRow) {
    identifiers.append(row.identifier)
    numbers.append(Int64(row.number.rawValue))
    created.append(Self.order(row.creationDate))
    added.append(row.addedDate.microseconds)
    modified.append(row.modificationDate.microseconds)
    traits.append(Traits(row).packed)
    widths.append(Int64(row.width))
    heights.append(Int64(row.height))
    durations.append(Int64(row.durationMilliseconds))
    latitudes.append(Int64(row.location?.latitudeE7 ?? 0))
    longitudes.append(Int64(row.location?.longitudeE7 ?? 0))
    places.append(row.place.map { Int64($0) + 1 } ?? 0)
    versions.append(Int64(row.version))
    names.append(NameColumn.bytes(row.fileName))
  }

  /// Overwrites all but identifier and number.
  mutating func set(_ slot: UInt32, to row: AssetRow) {
    created.set(slot, to: Self.order(row.creationDate))
    added.set(slot, to: row.addedDate.microseconds)
    modified.set(slot, to: row.modificationDate.microseconds)
    traits.set(slot, to: Traits(row).packed)
    widths.set(slot, to: Int64(row.width))
    heights.set(slot, to: Int64(row.height))
    durations.set(slot, to: Int64(row.durationMilliseconds))
    latitudes.set(slot, to: Int64(row.location?.latitudeE7 ?? 0))
    longitudes.set(slot, to: Int64(row.location?.longitudeE7 ?? 0))
    places.set(slot, to: row.place.map { Int64($0) + 1 } ?? 0)
    versions.set(slot, to: Int64(row.version))
    names.set(slot, to: NameColumn.bytes(row.fileName))
  }

  func row(_ slot: UInt32) -> AssetRow {
    let traits = traits(slot)
    let created = created[slot]
    let place = places[slot]
    return AssetRow(
      number: AssetNumber(UInt32(truncatingIfNeeded: numbers[slot])), identifier: identifiers[slot],
      creationDate: created == .min ? nil : Timestamp(microseconds: created), dateOrigin: traits.dateOrigin,
      addedDate: Timestamp(microseconds: added[slot]), modificationDate: Timestamp(microseconds: modified[slot]),
      mediaType: traits.mediaType, subtypes: traits.subtypes, flags: traits.flags,
      width: UInt32(truncatingIfNeeded: widths[slot]), height: UInt32(truncatingIfNeeded: heights[slot]),
      durationMilliseconds: UInt32(truncatingIfNeeded: durations[slot]),
      location: traits.hasLocation ? location(slot) : nil,
      place: place == 0 ? nil : UInt32(truncatingIfNeeded: place - 1),
      version: UInt32(truncatingIfNeeded: versions[slot]), fileName: name(slot))
  }

  func traits(_ slot: UInt32) -> Traits { Traits(packed: traits[slot]) }

  /// Meaningful where the asset has a location.
  func location(_ slot: UInt32) -> GeoPoint {
    GeoPoint(
      latitudeE7: Int32(truncatingIfNeeded: latitudes[slot]), longitudeE7: Int32(truncatingIfNeeded: longitudes[slot]))
  }

  func name(_ slot: UInt32) -> String { names.withBytes(slot) { String(decoding: $0, as: UTF8.self) } }

  /// The rows in another order, or some of them.
  func gathered(_ slots: [UInt32]) -> Columns {
    var result = Columns()
    for slot in slots { result.identifiers.append(identifiers[slot]) }
    result.numbers = numbers.gathered(slots)
    result.created = created.gathered(slots)
    result.added = added.gathered(slots)
    result.modified = modified.gathered(slots)
    result.traits = traits.gathered(slots)
    result.widths = widths.gathered(slots)
    result.heights = heights.gathered(slots)
    result.durations = durations.gathered(slots)
    result.latitudes = latitudes.gathered(slots)
    result.longitudes = longitudes.gathered(slots)
    result.places = places.gathered(slots)
    result.versions = versions.gathered(slots)
    result.names = names.gathered(slots)
    return result
  }

  static func order(_ date: Timestamp?) -> Int64 { date?.microseconds ?? .min }
}
