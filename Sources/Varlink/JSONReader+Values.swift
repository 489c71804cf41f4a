extension JSONReader {
  /// The kind of a value, known from its first byte.
  public enum Kind: Sendable {
    case null, bool, number, string, array, object
  }

  /// The kind of the next value.
  ///
  /// - Throws: `syntax` if there is no value.
  public mutating func peek() throws(VarlinkError) -> Kind {
    skipSpace()
    switch current {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    default: throw .syntax("a value expected", at: position)
    }
  }

  /// Takes a null if it is next.
  public mutating func takeNull() throws(VarlinkError) -> Bool {
    skipSpace()
    guard current == UInt8(ascii: "n") else { return false }
    guard take(word: "null") else { throw .syntax("an unknown word", at: position) }
    return true
  }

  /// Reads a boolean.
  public mutating func readBool() throws(VarlinkError) -> Bool {
    skipSpace()
    switch current {
    case UInt8(ascii: "t") where take(word: "true"): return true
    case UInt8(ascii: "f") where take(word: "false"): return false
    case UInt8(ascii: "t"), UInt8(ascii: "f"): throw .syntax("an unknown word", at: position)
    default: throw unexpected("a boolean")
    }
  }

  /// Skips one value, checks its whole grammar, and returns its range.
  @discardableResult
  public mutating func skipValue() throws(VarlinkError) -> Range<Int> {
    skipSpace()
    let start = position
    switch try peek() {
    case .null: _ = try takeNull()
    case .bool: _ = try readBool()
    case .number: try skipNumber()
    case .string:
      position += 1
      _ = try scanString()
    case .array:
      var elements = try beginArray()
      while try nextElement(&elements) { try skipValue() }
    case .object:
      try skipObject()
    }
    return start..<position
  }

  private mutating func skipNumber() throws(VarlinkError) {
    let number = try scanNumber()
    // Only a number with an exponent, or of some hundred digits, can exceed a Double.
    if number.isInteger ? number.range.count > 300 : true { _ = try double(of: number.range) }
  }

  /// Skips an object. It compares up to 24 keys without escapes in place, and copies keys after
  /// that. It reads nothing twice: with nesting that would take exponential time.
  private mutating func skipObject() throws(VarlinkError) {
    var keys = InlineArray<24, Range<Int>>(repeating: 0..<0)
    var count = 0
    var keepsCopies = false
    var scope = try beginObject()
    while try nextKey(&scope) {
      if !keepsCopies, count == keys.count || unescapedKey != nil {
        keepsCopies = true
        for index in 0..<count { _ = scope.insert(copy(keys[index])) }
      }
      if keepsCopies {
        try refuseRepeatedKey(&scope)
      } else {
        for index in 0..<count where isSame(keys[index], key) { throw .duplicateKey(at: key.lowerBound) }
        keys[count] = key
        count += 1
      }
      try skipValue()
    }
  }

  private func isSame(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
    guard left.count == right.count else { return false }
    for index in 0..<left.count where byte(at: left.lowerBound + index) != byte(at: right.lowerBound + index) {
      return false
    }
    return true
  }

  /// The error for a value of another type; `syntax` if there is no value.
  mutating func unexpected(_ expected: StaticString) -> VarlinkError {
    do {
      _ = try peek()
      return .wrongType(expected: expected.description, at: position)
    } catch {
      return error
    }
  }
}
