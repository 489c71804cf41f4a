extension VarlinkError {
  static func syntax(_ what: String, at offset: Int) -> Self {
    Self(.syntax, "not valid JSON: \(what)", offset: offset)
  }

  static func invalidText(at offset: Int) -> Self {
    Self(.invalidText, "a string is not well-formed UTF-8; send UTF-8 and paired surrogate escapes", offset: offset)
  }

  static func depthExceeded(limit: Int, at offset: Int) -> Self {
    Self(.depthExceeded, "objects and arrays are nested more than \(limit) deep", offset: offset)
  }

  /// A limit is exceeded. The message has the limit, so that the caller can split the call.
  public static func limitExceeded(_ what: String, limit: Int, at offset: Int? = nil) -> Self {
    Self(.limitExceeded, "\(what) exceeds the limit of \(limit)", offset: offset)
  }

  static func numberOutOfRange(_ type: String, at offset: Int) -> Self {
    Self(.numberOutOfRange, "a number does not fit \(type)", offset: offset)
  }

  @usableFromInline
  static func outside<Number>(_ range: ClosedRange<Number>) -> Self {
    Self(.numberOutOfRange, "a number is outside of the range \(range.lowerBound) to \(range.upperBound)")
  }

  static func duplicateKey(at offset: Int) -> Self {
    Self(.duplicateKey, "an object names a key twice", offset: offset)
  }

  static func trailingBytes(at offset: Int) -> Self {
    Self(.trailingBytes, "bytes follow the end of the value", offset: offset)
  }

  /// A value does not have its declared type.
  public static func wrongType(expected: String, at offset: Int? = nil) -> Self {
    Self(.wrongType, "the value is not \(expected)", offset: offset)
  }

  /// A message lacks a required field.
  public static func missingField(_ name: String) -> Self {
    Self(.missingField, "a required field is absent", field: name)
  }

  static func unknownField(_ name: String, among known: [String], at offset: Int) -> Self {
    let hint = NearestWord.nearest(to: name, among: known).map { " (did you mean \($0)?)" } ?? ""
    return Self(
      .unknownField, "the interface declares no such field\(hint)\(fields(known))", field: name, offset: offset)
  }

  /// Limit of a list of fields in bytes.
  private static let fieldsLimit = 440

  /// The declared fields, as the end of a message; empty without any.
  private static func fields(_ known: [String]) -> String {
    var list = ""
    for name in known {
      guard list.utf8.count + name.utf8.count < fieldsLimit else { return list + ", …" }
      list += (list.isEmpty ? "; it takes " : ", ") + name
    }
    return list
  }

  /// A peer, or this process, broke the order of calls and replies.
  public static func protocolViolation(_ what: String) -> Self {
    Self(.protocolViolation, what)
  }

  static func interfaceSyntax(_ what: String, line: Int, column: Int) -> Self {
    Self(.interfaceSyntax, "line \(line), column \(column): \(what)")
  }
}
