import Broker
import Catalogue
import PhotoModel

/// Columns as values. A column with any other content is damage, and throws `corrupt`.
extension Statement {
  func identifier<Identifier: RandomIdentifier>(_ column: Int) throws(SQLiteError) -> Identifier {
    guard let identifier = withBlob(column, { Identifier(bigEndian: $0) }) else {
      throw SQLiteError(.corrupt, "a stored identifier is not 16 bytes")
    }
    return identifier
  }

  func app(_ column: Int) throws(SQLiteError) -> AppIdentifier { try identifier(column) }

  func optionalApp(_ column: Int) throws(SQLiteError) -> AppIdentifier? {
    if isNull(column) { return nil }
    return try app(column)
  }

  func time(_ column: Int) -> Timestamp { Timestamp(microseconds: integer(column)) }
  func optionalTime(_ column: Int) -> Timestamp? { isNull(column) ? nil : time(column) }

  func library(_ column: Int) throws(SQLiteError) -> LibraryName { try known(LibraryName(text(column))) }
  func level(_ column: Int) throws(SQLiteError) -> AccessLevel { try known(AccessLevel(rawValue: text(column))) }
  func role(_ column: Int) throws(SQLiteError) -> DecisionRole { try known(DecisionRole(rawValue: text(column))) }

  func optionalRole(_ column: Int) throws(SQLiteError) -> DecisionRole? { isNull(column) ? nil : try role(column) }

  func number<Number: FixedWidthInteger>(_ column: Int, _ type: Number.Type = Number.self) throws(SQLiteError) -> Number
  {
    try known(Number(exactly: integer(column)))
  }

  /// A latitude, and the longitude in the next column.
  func optionalPoint(_ column: Int) throws(SQLiteError) -> GeoPoint? {
    guard let latitude = optionalInteger(column), let longitude = optionalInteger(column + 1) else { return nil }
    return GeoPoint(latitudeE7: try known(Int32(exactly: latitude)), longitudeE7: try known(Int32(exactly: longitude)))
  }

  /// The 17 columns `identifier` to `file_name` of an asset.
  func row(_ number: AssetNumber, from first: Int) throws(SQLiteError) -> AssetRow {
    var place: UInt32?
    if let number = optionalInteger(first + 14) { place = try known(UInt32(exactly: number)) }
    var row = AssetRow(
      number: number, identifier: try identifier(first),
      creationDate: optionalTime(first + 1),
      placeShiftMinutes: try self.number(first + 3), addedDate: time(first + 4),
      modificationDate: time(first + 5), mediaType: try known(MediaType(rawValue: try self.number(first + 6))),
      subtypes: MediaSubtypes(rawValue: try self.number(first + 7)),
      flags: AssetFlags(rawValue: try self.number(first + 8)),
      width: try self.number(first + 9), height: try self.number(first + 10),
      durationMilliseconds: try self.number(first + 11),
      location: try optionalPoint(first + 12), place: place, version: try self.number(first + 15),
      fileName: text(first + 16))
    if let origin = optionalInteger(first + 2) { row.setOrigin(stored: origin) }
    return row
  }

  func known<Value>(_ value: Value?) throws(SQLiteError) -> Value {
    guard let value else { throw SQLiteError(.corrupt, "a stored value is out of range") }
    return value
  }
}
