/// A type, a method or an error of an interface.
public struct InterfaceMember: Hashable, Sendable {
  /// The kind of a member, with its types.
  public enum Kind: Hashable, Sendable {
    /// A named structure or enumeration.
    case type(InterfaceType)
    /// A method, with the fields of its parameters and its reply.
    case method(parameters: [InterfaceField], reply: [InterfaceField])
    /// An error, with the fields of its parameters.
    case error(parameters: [InterfaceField])
  }

  /// The name, which begins with a capital and is unique in its interface.
  public let name: String
  /// The comment above it, line by line.
  public let comment: [String]
  /// The kind of member.
  public let kind: Kind
}
