/// A field of a structure or of a method's parameters or reply; or, without a type, a case of an enumeration.
public struct InterfaceField: Hashable, Sendable {
  /// The name.
  public let name: String
  /// What is said about it, one line each.
  public let comment: [String]
  /// Its type; nil for a case of an enumeration.
  public let type: InterfaceType?
}
