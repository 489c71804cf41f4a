/// The state of one array while its elements are read one by one; made by `JSONReader.beginArray()`.
public struct ArrayScope {
  /// How many elements were begun.
  public internal(set) var count = 0

  init() {}
}
