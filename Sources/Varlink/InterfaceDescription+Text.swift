extension InterfaceDescription: CustomStringConvertible {
  /// The canonical text. Parsing it gives an equal description with the same text.
  public var description: String {
    var text = Self.comment(comment, indent: "")
    text += "interface \(name)\n"
    for member in members {
      text += "\n" + Self.comment(member.comment, indent: "")
      switch member.kind {
      case .type(let type): text += "type \(member.name) \(type.text(indent: ""))\n"
      case .method(let parameters, let reply):
        text += "method \(member.name)\(InterfaceType.structure(parameters).text(indent: ""))"
        text += " -> \(InterfaceType.structure(reply).text(indent: ""))\n"
      case .error(let parameters):
        text += "error \(member.name) \(InterfaceType.structure(parameters).text(indent: ""))\n"
      }
    }
    return text
  }

  static func comment(_ lines: [String], indent: String) -> String {
    lines.map { $0.isEmpty ? "\(indent)#\n" : "\(indent)# \($0)\n" }.joined()
  }
}

extension InterfaceType {
  /// The type in the interface language, with one field per line, two spaces deeper than `indent`.
  func text(indent: String) -> String {
    switch self {
    case .bool: return "bool"
    case .int: return "int"
    case .float: return "float"
    case .string: return "string"
    case .object: return "object"
    case .named(let name): return name
    case .optional(let inner): return "?" + inner.text(indent: indent)
    case .array(let inner): return "[]" + inner.text(indent: indent)
    case .map(let inner): return "[string]" + inner.text(indent: indent)
    case .structure(let fields), .enumeration(let fields):
      if fields.isEmpty { return "()" }
      let deeper = indent + "  "
      let lines = fields.map { field in
        let comment = InterfaceDescription.comment(field.comment, indent: deeper)
        return comment + deeper + field.name + (field.type.map { ": " + $0.text(indent: deeper) } ?? "")
      }
      return "(\n" + lines.joined(separator: ",\n") + "\n\(indent))"
    }
  }
}
