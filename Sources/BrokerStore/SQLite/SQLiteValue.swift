import PhotoModel

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

  static func identifier(_ value: some RandomIdentifier) -> SQLiteValue { .blob(value.withBigEndian { [UInt8]($0) }) }
}

extension SQLiteValue: Equatable {
  /// Compares the stored bytes: canonically equivalent names differ.
  static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    case (.text(let a), .text(let b)): ExactText(a) == ExactText(b)
    case (.blob(let a), .blob(let b)): a == b
    default: false
    }
  }
}
