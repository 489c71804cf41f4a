/// A type that can be decoded from one JSON value.
public protocol VarlinkDecodable {
  /// Reads exactly one value.
  ///
  /// - Throws: the error in the value; its `field` is the path within the value.
  init(from reader: inout JSONReader) throws(VarlinkError)
}

extension VarlinkDecodable {
  /// Reads a whole message with a single value.
  public init(message: Span<UInt8>, rules: DecodingRules) throws(VarlinkError) {
    var reader = try JSONReader(message, rules: rules)
    self = try Self(from: &reader)
    try reader.finish()
  }

  /// Reads a whole message with a single value.
  public init(message: [UInt8], rules: DecodingRules) throws(VarlinkError) {
    self = try Self(message: message.span, rules: rules)
  }
}

extension Optional where Wrapped: VarlinkDecodable {
  /// The value of the field `name`, which a decoder read.
  ///
  /// - Throws: `missingField` if the message lacks it.
  @inlinable
  public func required(_ name: StaticString) throws(VarlinkError) -> Wrapped {
    guard let self else { throw .missingField(name.description) }
    return self
  }
}

extension Optional where Wrapped: CaseIterable & RawRepresentable<String> {
  /// The case of an enumeration, found by its name.
  ///
  /// - Throws: `wrongType` with the names of all cases if there is none.
  @inlinable
  public func oneOfItsCases() throws(VarlinkError) -> Wrapped {
    guard let self else {
      throw .wrongType(expected: "one of " + Wrapped.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return self
  }
}
