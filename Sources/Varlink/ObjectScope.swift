/// The position in an object that is read key by key, from `JSONReader.beginObject()`.
public struct ObjectScope {
  /// A bit for each declared field that was read.
  @usableFromInline var seen: UInt64 = 0
  /// The undeclared keys, to detect repeated ones; created with the first of them.
  var others: KeySet?
  var isFirst = true

  init() {}

  /// Adds an undeclared key; false if it was already there.
  mutating func insert(_ key: [UInt8]) -> Bool {
    let keys = others ?? KeySet()
    others = keys
    return keys.insert(key)
  }
}
