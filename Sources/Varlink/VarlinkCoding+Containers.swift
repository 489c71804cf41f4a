extension Optional: VarlinkDecodable where Wrapped: VarlinkDecodable {
  /// Reads null as nil.
  @inlinable
  public init(from reader: inout JSONReader) throws(VarlinkError) {
    self = try reader.takeNull() ? nil : Wrapped(from: &reader)
  }
}

extension Optional: VarlinkEncodable where Wrapped: VarlinkEncodable {
  /// True for nil. A structure omits the field: that is shorter than null and means the same.
  @inlinable public var isAbsent: Bool { self == nil }

  @inlinable
  public func encode(to writer: inout JSONWriter) {
    if let self { self.encode(to: &writer) } else { writer.writeNull() }
  }
}

extension Array: VarlinkDecodable where Element: VarlinkDecodable {
  @inlinable
  public init(from reader: inout JSONReader) throws(VarlinkError) {
    self = []
    var scope = try reader.beginArray()
    while try reader.nextElement(&scope) {
      do {
        append(try Element(from: &reader))
      } catch {
        throw error.inside(element: count)
      }
    }
  }
}

extension Array: VarlinkEncodable where Element: VarlinkEncodable {
  @inlinable
  public func encode(to writer: inout JSONWriter) {
    writer.beginArray()
    for element in self { element.encode(to: &writer) }
    writer.endArray()
  }
}

extension Dictionary: VarlinkDecodable where Key == String, Value: VarlinkDecodable {
  /// Reads a map. The limit of an array's length applies to its number of entries.
  @inlinable
  public init(from reader: inout JSONReader) throws(VarlinkError) {
    self = [:]
    var scope = try reader.beginObject()
    var entries = 0
    while try reader.nextKey(&scope) {
      try reader.refuseRepeatedKey(&scope)
      entries += 1
      if entries > reader.rules.arrayLimit {
        throw .limitExceeded("the number of entries", limit: reader.rules.arrayLimit)
      }
      let name = reader.keyText
      do {
        self[name] = try Value(from: &reader)
      } catch {
        // The key is the peer's text, which errors must not repeat.
        throw error.inside(field: "{}")
      }
    }
  }
}

extension Dictionary: VarlinkEncodable where Key == String, Value: VarlinkEncodable {
  /// Writes a map in the byte order of its keys, so that equal maps give equal messages.
  @inlinable
  public func encode(to writer: inout JSONWriter) {
    writer.beginObject()
    for (name, value) in sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      writer.key(name)
      value.encode(to: &writer)
    }
    writer.endObject()
  }
}
