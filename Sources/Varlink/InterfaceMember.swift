/// A type, a method or an error of an interface.
public struct InterfaceMember: Hashable, Sendable {
  /// What a member is, and of what it consists.
  public enum Kind: Hashable, Sendable {
    /// A named structure or enumeration.
    case type(InterfaceType)
    /// A method: fields of its parameters and of its reply.
    case method(parameters: [InterfaceField], reply: [InterfaceField])
    /// An error: fields of its parameters.
    case error(parameters: [InterfaceField])
  }

  /// The name, which begins with a capital and is unique in its interface.
  public let name: String
  /// What is said about it, one line each.
  public let comment: [String]
  /// What it is.
  public let kind: Kind
}
