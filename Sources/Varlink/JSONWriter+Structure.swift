extension JSONWriter {
  /// Begins an object.
  public mutating func beginObject() {
    separate()
    append(byte: UInt8(ascii: "{"))
    needsComma = false
  }

  /// Ends an object.
  public mutating func endObject() {
    append(byte: UInt8(ascii: "}"))
    needsComma = true
  }

  /// Begins an array.
  public mutating func beginArray() {
    separate()
    append(byte: UInt8(ascii: "["))
    needsComma = false
  }

  /// Ends an array.
  public mutating func endArray() {
    append(byte: UInt8(ascii: "]"))
    needsComma = true
  }

  /// Writes a key that needs no escapes; its value follows.
  public mutating func key(_ name: StaticString) {
    let length = name.utf8CodeUnitCount
    let target = room(length + 4)
    var offset = 0
    if needsComma {
      target[0] = UInt8(ascii: ",")
      offset = 1
    }
    target[offset] = UInt8(ascii: "\"")
    UnsafeMutableRawPointer(target + offset + 1).copyMemory(from: name.utf8Start, byteCount: length)
    target[offset + length + 1] = UInt8(ascii: "\"")
    target[offset + length + 2] = UInt8(ascii: ":")
    advance(offset + length + 3)
    needsComma = false
  }

  /// Writes any key; its value follows.
  public mutating func key(_ name: String) {
    write(name)
    append(byte: UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes a field; an absent optional is omitted.
  @inlinable
  public mutating func field<Value: VarlinkEncodable>(_ name: StaticString, _ value: Value) {
    if value.isAbsent { return }
    key(name)
    value.encode(to: &self)
  }

  /// Writes the comma between two elements. `key` writes its own.
  @inline(__always)
  mutating func separate() {
    if needsComma { append(byte: UInt8(ascii: ",")) }
  }
}
