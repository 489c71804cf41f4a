/// A value for a statement.
enum SQLiteValue {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])

  init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }
  init(_ value: String?) { self = value.map { .text($0) } ?? .null }
  init(_ value: [UInt8]?) { self = value.map { .blob($0) } ?? .null }
  init(_ value: some FixedWidthInteger) { self = .integer(Int64(truncatingIfNeeded: value)) }
  init(_ value: Bool) { self = .integer(value ? 1 : 0) }
}
