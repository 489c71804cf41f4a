/// An interface as its `.varlink` text describes it, comments included.
///
/// Source: https://varlink.org/Interface-Definition
public struct InterfaceDescription: Hashable, Sendable {
  /// The qualified name, such as `io.photobroker.Library`.
  public let name: String
  /// What is said about the interface as a whole, one line each.
  public let comment: [String]
  /// Types, methods and errors, in the order of the text.
  public let members: [InterfaceMember]

  /// Reads the text of an interface.
  ///
  /// - Throws: `interfaceSyntax` with line and column; also for a name used twice and for a type that is not there.
  public init(parsing text: String) throws(VarlinkError) {
    var parser = try InterfaceParser(text)
    (name, comment, members) = try parser.parse()
  }
}
