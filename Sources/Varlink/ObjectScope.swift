/// The state of one object while its keys are read one by one; made by `JSONReader.beginObject()`.
public struct ObjectScope {
  /// One bit per declared field: which were seen.
  @usableFromInline var seen: UInt64 = 0
  /// Keys outside the declared ones, kept so that a repeated one is noticed.
  var others = KeySet()
  var isFirst = true

  init() {}
}
