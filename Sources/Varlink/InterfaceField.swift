/// A field of a structure, of a method's parameters or of its reply. Without a type: a case of an
/// enumeration.
public struct InterfaceField: Hashable, Sendable {
  /// The name.
  public let name: String
  /// The comment above it, line by line.
  public let comment: [String]
  /// Its type; nil for a case of an enumeration.
  public let type: InterfaceType?
}
