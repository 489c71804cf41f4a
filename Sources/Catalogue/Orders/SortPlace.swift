import PhotoModel

/// A point in an order: between, at or beyond assets.
struct SortPlace {
  var value: SortValue
  var identifier: AssetIdentifier

  static func < (a: Self, b: Self) -> Bool {
    if case .integer(let x) = a.value, case .integer(let y) = b.value {
      return x != y ? x < y : a.identifier < b.identifier
    }
    if a.value < b.value { return true }
    return a.value == b.value && a.identifier < b.identifier
  }

  /// The place before every asset with this value.
  static func start(of value: SortValue) -> Self { Self(value: value, identifier: AssetIdentifier(high: 0, low: 0)) }
}

extension SortPlace {
  /// The next place; nil after the last possible one.
  var successor: SortPlace? {
    var next = self
    next.identifier.low &+= 1
    if next.identifier.low == 0 { next.identifier.high &+= 1 }
    guard next.identifier.low == 0, next.identifier.high == 0 else { return next }
    switch value {
    case .integer(.max): return nil
    case .integer(let value): next.value = .integer(value + 1)
    case .text(let text): next.value = .text(text + [0])
    }
    return next
  }
}
