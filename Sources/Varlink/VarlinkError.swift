/// An error of the wire.
///
/// Two errors are equal if their codes are; `message` is for people. It never quotes a value from
/// the peer, only field names of the interface and positions.
public struct VarlinkError: Error, Hashable, Sendable {
  /// The kind of failure.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// The text is not JSON.
    case syntax
    /// A string is not well-formed UTF-8, or an escape is a lone surrogate.
    case invalidText
    /// The nesting is deeper than `WireLimits.depth`.
    case depthExceeded
    /// A message, array, string or number is longer than its limit.
    case limitExceeded
    /// A number does not fit its type, or its declared range.
    case numberOutOfRange
    /// An object repeats a key.
    case duplicateKey
    /// Bytes follow the value.
    case trailingBytes
    /// A value does not have its declared type.
    case wrongType
    /// A required field is absent.
    case missingField
    /// The interface does not declare the field.
    case unknownField
    /// A message breaks the rules of a Varlink connection.
    case protocolViolation
    /// An interface description has a syntax error.
    case interfaceSyntax
  }

  /// The kind of failure.
  public let code: Code
  /// The cause and the fix.
  public let message: String
  /// The path of the field, such as `options.sort`; empty if the error concerns no field.
  public private(set) var field: String = ""
  /// The byte offset of the error in its message; nil if there is none.
  public let offset: Int?

  init(_ code: Code, _ message: String, field: String = "", offset: Int? = nil) {
    self.code = code
    self.message = message
    self.field = field
    self.offset = offset
  }

  public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }

  /// The same error seen from the structure that holds the failing value in its field `name`.
  public func inside(field name: String) -> Self {
    var outer = self
    if field.isEmpty {
      outer.field = name
    } else if field.hasPrefix("[") {
      outer.field = name + field
    } else {
      outer.field = name + "." + field
    }
    return outer
  }

  /// The error with the path extended by the array's element `index`.
  public func inside(element index: Int) -> Self { inside(field: "[\(index)]") }
}

extension VarlinkError: CustomStringConvertible {
  public var description: String {
    var text = "varlink: \(message)"
    if !field.isEmpty { text += " (field \(field))" }
    if let offset { text += " (at byte \(offset))" }
    return text
  }
}
