/// What the wire refused, and why.
///
/// Two errors are equal when their codes are; `message` is for people. It never quotes a value that the peer
/// sent, only field names of the interface and positions.
public struct VarlinkError: Error, Hashable, Sendable {
  /// The kind of failure.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// Not JSON.
    case syntax
    /// A string is not well-formed UTF-8, or an escape names a lone surrogate.
    case invalidText
    /// Nested deeper than `WireLimits.depth`.
    case depthExceeded
    /// A message, array, string or number is longer than its limit.
    case limitExceeded
    /// A number does not fit its type, or the range that the interface says.
    case numberOutOfRange
    /// An object names a key twice.
    case duplicateKey
    /// Bytes follow the value.
    case trailingBytes
    /// A value of another type than the interface declares.
    case wrongType
    /// A required field is absent.
    case missingField
    /// A field that the interface does not declare.
    case unknownField
    /// A message that breaks the rules of a Varlink connection.
    case protocolViolation
    /// An interface description that cannot be read.
    case interfaceSyntax
  }

  /// The kind of failure.
  public let code: Code
  /// What went wrong and what to do about it.
  public let message: String
  /// The path of the field concerned, such as `options.sort`; empty when the failure concerns no field.
  public private(set) var field: String = ""
  /// The offset in bytes of the failure within its message, where there is one.
  public let offset: Int?

  init(_ code: Code, _ message: String, field: String = "", offset: Int? = nil) {
    self.code = code
    self.message = message
    self.field = field
    self.offset = offset
  }

  public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }

  /// Whether the message was well-formed and only its parameters were not what the interface declares: the
  /// connection can go on after `org.varlink.service.InvalidParameter`.
  public var concernsParameter: Bool { !field.isEmpty }

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

  /// The same error seen from the array that holds the failing value as its element `index`.
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
