/// A JSON object that keeps the order of its keys.
///
/// A lookup scans all entries: use it for the few keys of a message, not as a dictionary.
public struct JSONObject: Hashable, Sendable {
  /// A key and its value.
  public struct Entry: Hashable, Sendable {
    /// The key.
    public let key: String
    /// The value.
    public var value: JSONValue

    /// Creates an entry.
    public init(key: String, value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// The entries, in order. No two keys have the same bytes.
  public private(set) var entries: [Entry] = []

  /// An object without entries.
  public init() {}

  /// The value of `key`. Setting nil removes the entry; a new key is appended.
  public subscript(key: String) -> JSONValue? {
    get { index(of: key).map { entries[$0].value } }
    set {
      switch (index(of: key), newValue) {
      case (let index?, let value?): entries[index].value = value
      case (let index?, nil): entries.remove(at: index)
      case (nil, let value?): entries.append(Entry(key: key, value: value))
      case (nil, nil): break
      }
    }
  }

  private func index(of key: String) -> Int? {
    // Compares bytes: two encodings of one character are two keys.
    entries.firstIndex { $0.key.utf8.elementsEqual(key.utf8) }
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Creates an object; of repeated keys the last one wins.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    for (key, value) in elements { self[key] = value }
  }
}

extension JSONObject: VarlinkDecodable, VarlinkEncodable {
  public init(from reader: inout JSONReader) throws(VarlinkError) {
    var scope = try reader.beginObject()
    while try reader.nextKey(&scope) {
      try reader.refuseRepeatedKey(&scope)
      let key = reader.keyText
      entries.append(Entry(key: key, value: try JSONValue(from: &reader)))
    }
  }

  public func encode(to writer: inout JSONWriter) {
    writer.beginObject()
    for entry in entries {
      writer.key(entry.key)
      entry.value.encode(to: &writer)
    }
    writer.endObject()
  }
}
