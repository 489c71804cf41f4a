/// An interface as described by its `.varlink` text, with comments.
///
/// Source: https://varlink.org/Interface-Definition
public struct InterfaceDescription: Hashable, Sendable {
  /// The qualified name, such as `io.photobroker.Library`.
  public let name: String
  /// The comment of the interface as a whole, line by line.
  public let comment: [String]
  /// Types, methods and errors, in the order of the text.
  public let members: [InterfaceMember]

  /// Parses the text of an interface.
  ///
  /// - Throws: `interfaceSyntax` with line and column; also for a duplicate name or an undeclared
  ///   type.
  public init(parsing text: String) throws(VarlinkError) {
    var parser = try InterfaceParser(text)
    (name, comment, members) = try parser.parse()
  }
}
