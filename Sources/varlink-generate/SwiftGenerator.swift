import Varlink

/// Generates Swift from an interface: a namespace with its types, methods and errors.
///
/// The output depends only on the interface. A number's comment may have the
/// sentence `Range: A to B.`, such as `Range: 1 to 1,000.`, with both ends included. A server then
/// rejects calls with other numbers before the handler runs. A client accepts all numbers in
/// replies.
struct SwiftGenerator {
  let interface: InterfaceDescription
  /// The interface's text, embedded verbatim.
  let source: String

  /// The Swift of the interface.
  ///
  /// - Throws: `GenerationError` for a name that would hide one of Swift's.
  func text() throws(GenerationError) -> String {
    var text = "// Generated from \(interface.name).varlink. Edit that file.\npublic import Varlink\n\n"
    text += Self.documentation(interface.comment, indent: "")
    text += "public enum \(namespace) {\n"
    text += "  /// The interface's qualified name.\n"
    text += "  public static let interfaceName = \"\(interface.name)\"\n\n"
    text += "  /// The interface's text, as GetInterfaceDescription answers it.\n"
    text += "  public static let interfaceText = ##\"\"\"\n"
    for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
      text += line.isEmpty ? "\n" : "    \(line)\n"
    }
    text += "    \"\"\"##\n"
    for member in interface.members { text += try declaration(of: member) }
    return text + "}\n"
  }

  private func declaration(of member: InterfaceMember) throws(GenerationError) -> String {
    if SwiftNames.reservedTypes.contains(member.name) { throw .reservedName(member.name) }
    var text = "\n" + Self.documentation(member.comment, indent: "  ")
    switch member.kind {
    case .type(let type):
      text += try declaration(of: type, named: member.name, kind: .type, indent: "  ")
    case .method(let parameters, let reply):
      text += "  public enum \(member.name): VarlinkMethod {\n"
      text += "    /// The method's qualified name.\n"
      text += "    public static let name = \"\(interface.name).\(member.name)\"\n\n"
      text += "    /// The parameters of `\(member.name)`.\n"
      text += try declaration(of: .structure(parameters), named: "Parameters", kind: .type, indent: "    ")
      text += "\n    /// The reply to `\(member.name)`.\n"
      text += try declaration(of: .structure(reply), named: "Reply", kind: .type, indent: "    ")
      text += "  }\n"
    case .error(let parameters):
      // The module Varlink has the errors that any method may answer.
      if interface.name == "\(ServiceError.name)" { return "" }
      text += try declaration(of: .structure(parameters), named: member.name, kind: .error, indent: "  ")
    }
    return text
  }

  /// The last part of the interface's name, or the last two if the last is in lower case: `Library`
  /// for `io.photobroker.Library`, `VarlinkService` for `org.varlink.service`.
  var namespace: String {
    let parts = interface.name.split(separator: ".").map(String.init)
    let last = parts[parts.count - 1]
    if last.first?.isUppercase ?? false { return SwiftNames.capitalised(last) }
    return parts.suffix(2).map(SwiftNames.capitalised).joined()
  }

  static func documentation(_ comment: [String], indent: String) -> String {
    comment.map { $0.isEmpty ? "\(indent)///\n" : "\(indent)/// \($0)\n" }.joined()
  }
}
