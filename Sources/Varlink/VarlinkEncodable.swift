/// A type that can be encoded as one JSON value.
public protocol VarlinkEncodable {
  /// Appends exactly one value.
  func encode(to writer: inout JSONWriter)

  /// Whether a structure omits this value; true only for an absent optional.
  var isAbsent: Bool { get }
}

extension VarlinkEncodable {
  @inlinable public var isAbsent: Bool { false }

  /// The value as JSON text.
  public var jsonBytes: [UInt8] {
    var writer = JSONWriter()
    encode(to: &writer)
    return writer.bytes
  }
}
