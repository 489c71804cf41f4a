package enum SortValue: Hashable, Sendable {
  /// Microseconds, milliseconds or pixels; a missing date is `Int64.min`.
  case integer(Int64)
  /// A folded file name.
  case text([UInt8])

  /// Total within one sort key; integers come before texts.
  static func < (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.integer(let a), .integer(let b)): a < b
    case (.text(let a), .text(let b)): a.lexicographicallyPrecedes(b)
    case (.integer, .text): true
    case (.text, .integer): false
    }
  }
}
