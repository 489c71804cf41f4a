extension JSONReader {
  /// Enters an object.
  ///
  /// - Throws: `wrongType` if the next value is not an object.
  public mutating func beginObject() throws(VarlinkError) -> ObjectScope {
    skipSpace()
    guard current == UInt8(ascii: "{") else { throw unexpected("an object") }
    try enter()
    position += 1
    return ObjectScope()
  }

  /// Moves to the next key. After the last one it leaves the object and answers false.
  ///
  /// The value must be read or skipped before the next call.
  public mutating func nextKey(_ scope: inout ObjectScope) throws(VarlinkError) -> Bool {
    skipSpace()
    if current == UInt8(ascii: "}") {
      position += 1
      depth -= 1
      return false
    }
    if scope.isFirst {
      scope.isFirst = false
    } else {
      try take(UInt8(ascii: ","), "a comma or the end of the object")
      skipSpace()
    }
    try take(UInt8(ascii: "\""), "a key")
    let text = try scanString()
    key = text.range
    if text.hasEscapes {
      let unescaped = unescape(text.range)
      keyLength = unescaped.count
      unescapedKey = unescaped
    } else {
      keyLength = text.range.count
      if unescapedKey != nil { unescapedKey = nil }
    }
    skipSpace()
    try take(UInt8(ascii: ":"), "a colon")
    return true
  }

  /// Whether the current key is `name`.
  ///
  /// Most names differ from the key in length, which is compared inline.
  @inlinable
  public func matches(_ name: StaticString) -> Bool {
    name.utf8CodeUnitCount == keyLength && isKey(name)
  }

  /// Whether the current key is `name`, which has the same length.
  @usableFromInline
  func isKey(_ name: StaticString) -> Bool {
    let text = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    if let unescapedKey { return unescapedKey.elementsEqual(text) }
    for index in 0..<text.count where byte(at: key.lowerBound + index) != text[index] { return false }
    return true
  }

  /// The current key's text.
  public var keyText: String {
    String(decoding: keyBytes, as: UTF8.self)
  }

  var keyBytes: [UInt8] {
    unescapedKey ?? copy(key)
  }

  /// Checks that the current key is new in this object.
  ///
  /// - Throws: `duplicateKey`.
  public mutating func refuseRepeatedKey(_ scope: inout ObjectScope) throws(VarlinkError) {
    if !scope.insert(keyBytes) { throw .duplicateKey(at: key.lowerBound) }
  }

  /// Reads the value of the declared field `name`, number `index` of its structure.
  ///
  /// - Throws: `duplicateKey` for a repeated field; an error in the value, with the field's name.
  @inlinable
  @inline(never)
  public mutating func field<Value: VarlinkDecodable>(
    _ name: StaticString, _ index: Int, _ scope: inout ObjectScope, as type: Value.Type
  ) throws(VarlinkError) -> Value {
    try mark(index, &scope)
    do {
      return try Value(from: &self)
    } catch {
      throw error.inside(field: name.description)
    }
  }

  /// Reads the value of a declared field whose comment has `Range: A to B.`
  ///
  /// - Throws: also `numberOutOfRange` outside `range`, if the rules reject that.
  @inlinable
  @inline(never)
  public mutating func field<Value: VarlinkNumbers>(
    _ name: StaticString, _ index: Int, _ scope: inout ObjectScope, as type: Value.Type,
    in range: ClosedRange<Value.Number>
  ) throws(VarlinkError) -> Value {
    try mark(index, &scope)
    do {
      let value = try Value(from: &self)
      if rules.rejectsUnknownFields { try value.check(range) }
      return value
    } catch {
      throw error.inside(field: name.description)
    }
  }

  /// Reads the current key's value if the key is the declared field `name`; false for other keys.
  @inlinable
  public mutating func read<Value: VarlinkDecodable>(
    _ name: StaticString, _ index: Int, _ scope: inout ObjectScope, into value: inout Value?
  ) throws(VarlinkError) -> Bool {
    guard matches(name) else { return false }
    value = try field(name, index, &scope, as: Value.self)
    return true
  }

  /// The same for a field whose comment has `Range: A to B.`
  @inlinable
  public mutating func read<Value: VarlinkNumbers>(
    _ name: StaticString, _ index: Int, _ scope: inout ObjectScope, into value: inout Value?,
    in range: ClosedRange<Value.Number>
  ) throws(VarlinkError) -> Bool {
    guard matches(name) else { return false }
    value = try field(name, index, &scope, as: Value.self, in: range)
    return true
  }

  @usableFromInline
  func mark(_ index: Int, _ scope: inout ObjectScope) throws(VarlinkError) {
    let bit: UInt64 = 1 << UInt64(index & 63)
    if scope.seen & bit != 0 { throw .duplicateKey(at: key.lowerBound) }
    scope.seen |= bit
  }

  /// Skips the current key's value, or throws `unknownField`, as the rules say.
  /// - Parameter known: the declared fields, of which the error names the nearest.
  public mutating func unknownField(
    _ scope: inout ObjectScope, known: @autoclosure () -> [String] = []
  ) throws(VarlinkError) {
    if rules.rejectsUnknownFields { throw .unknownField(shownKey, among: known(), at: key.lowerBound) }
    try refuseRepeatedKey(&scope)
    try skipValue()
  }

  /// The key in an error message: short, and without control characters.
  private var shownKey: String {
    let text = keyBytes.prefix(64).map { (0x21...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
    return text.isEmpty ? "?" : String(decoding: text, as: UTF8.self)
  }
}
