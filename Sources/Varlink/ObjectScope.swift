/// The state of one object while its keys are read one by one; made by `JSONReader.beginObject()`.
public struct ObjectScope {
  /// One bit per declared field: which were seen.
  @usableFromInline var seen: UInt64 = 0
  /// Keys outside the declared ones, kept so that a repeated one is noticed; made with the first.
  var others: KeySet?
  var isFirst = true

  init() {}

  /// Adds a key outside the declared ones; false when it was there already.
  mutating func insert(_ key: [UInt8]) -> Bool {
    let keys = others ?? KeySet()
    others = keys
    return keys.insert(key)
  }
}
