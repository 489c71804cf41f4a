/// The position in an array that is read element by element, from `JSONReader.beginArray()`.
public struct ArrayScope {
  /// The number of elements begun so far.
  public internal(set) var count = 0

  init() {}
}
