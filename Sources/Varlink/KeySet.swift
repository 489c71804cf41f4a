/// The keys of one object, compared byte by byte: two encodings of one character are two keys, as
/// in RFC 8259.
///
/// Few keys are searched in order, many by their seeded hash, so that no message takes quadratic
/// time.
final class KeySet {
  private var few: [[UInt8]] = []
  private var many: Set<[UInt8]> = []
  private static let fewLimit = 8

  /// Adds `key`; false if it was already there.
  func insert(_ key: [UInt8]) -> Bool {
    if many.isEmpty {
      if few.contains(key) { return false }
      if few.count < Self.fewLimit {
        few.append(key)
        return true
      }
      many = Set(few)
    }
    return many.insert(key).inserted
  }
}
