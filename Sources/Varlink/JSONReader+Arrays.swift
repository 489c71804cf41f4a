extension JSONReader {
  /// Enters an array.
  ///
  /// - Throws: `wrongType` if the next value is not an array.
  public mutating func beginArray() throws(VarlinkError) -> ArrayScope {
    skipSpace()
    guard current == UInt8(ascii: "[") else { throw unexpected("an array") }
    try enter()
    position += 1
    return ArrayScope()
  }

  /// Moves to the next element. After the last one it leaves the array and answers false.
  ///
  /// - Throws: `limitExceeded` if the array is longer than the rules allow.
  public mutating func nextElement(_ scope: inout ArrayScope) throws(VarlinkError) -> Bool {
    skipSpace()
    if current == UInt8(ascii: "]") {
      position += 1
      depth -= 1
      return false
    }
    if scope.count > 0 {
      try take(UInt8(ascii: ","), "a comma or the end of the array")
      skipSpace()
      if current == UInt8(ascii: "]") { throw .syntax("a value expected", at: position) }
    }
    if scope.count >= rules.arrayLimit {
      throw .limitExceeded("the number of elements", limit: rules.arrayLimit, at: position)
    }
    scope.count += 1
    return true
  }
}
