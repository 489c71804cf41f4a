import Varlink

extension SwiftGenerator {
  /// The use of a structure.
  enum StructureKind {
    case type, error
  }

  func declaration(
    of type: InterfaceType, named name: String, kind: StructureKind, indent: String
  ) throws(GenerationError) -> String {
    switch type {
    case .enumeration(let cases): enumeration(cases, named: name, indent: indent)
    case .structure(let fields): try structure(fields, named: name, kind: kind, indent: indent)
    default: throw .reservedName(name)
    }
  }

  private func structure(
    _ fields: [InterfaceField], named name: String, kind: StructureKind, indent: String
  ) throws(GenerationError) -> String {
    let conformances = "VarlinkDecodable, VarlinkEncodable, Hashable, Sendable"
    var text = "\(indent)public struct \(name): \(kind == .error ? "MethodError, " : "")\(conformances) {\n"
    let inner = indent + "  "
    if kind == .error {
      text += "\(inner)/// The error's qualified name.\n"
      text += "\(inner)public static var name: StaticString { \"\(interface.name).\(name)\" }\n\n"
    }
    let properties = try fields.map { (field) throws(GenerationError) in try property(of: field) }
    for field in properties {
      text += Self.documentation(field.comment, indent: inner)
      text += "\(inner)public var \(field.swiftName): \(field.swiftType)\n"
    }
    if !properties.isEmpty { text += "\n" }
    text += initializer(properties, indent: inner) + "\n"
    text += decoder(properties, indent: inner) + "\n"
    text += encoder(properties, indent: inner)
    for field in properties {
      guard let nested = field.nested else { continue }
      text += "\n\(inner)/// The value of `\(field.name)`.\n"
      text += try declaration(of: nested, named: SwiftNames.capitalised(field.name), kind: .type, indent: inner)
    }
    return text + "\(indent)}\n"
  }

  private func initializer(_ fields: [Property], indent: String) -> String {
    let parameters = fields.map { "\($0.swiftName): \($0.swiftType)\($0.isOptional ? " = nil" : "")" }
    var text =
      "\(indent)/// A value with these fields\(fields.contains(where: \.isOptional) ? "; nil is absent" : "").\n"
    let oneLine = "\(indent)public init(\(parameters.joined(separator: ", "))) {\(fields.isEmpty ? "}" : "")\n"
    if oneLine.count <= 100 {
      text += oneLine
    } else {
      text += "\(indent)public init(\n\(indent)  \(parameters.joined(separator: ",\n\(indent)  "))\n\(indent)) {\n"
    }
    if fields.isEmpty { return text }
    for field in fields { text += "\(indent)  self.\(field.name) = \(field.swiftName)\n" }
    return text + "\(indent)}\n"
  }

  private func decoder(_ fields: [Property], indent: String) -> String {
    var text = "\(indent)public init(from reader: inout JSONReader) throws(VarlinkError) {\n"
    for field in fields { text += "\(indent)  var \(field.local): \(field.swiftType)?\n" }
    text += "\(indent)  var scope = try reader.beginObject()\n"
    text += "\(indent)  while try reader.nextKey(&scope) {\n"
    for (index, field) in fields.enumerated() {
      let range = field.range.map { ", in: \($0)" } ?? ""
      let read = "reader.read(\"\(field.name)\", \(index), &scope, into: &\(field.local)\(range))"
      text += "\(indent)    if try \(read) { continue }\n"
    }
    let names = fields.map { "\"\($0.name)\"" }.joined(separator: ", ")
    text += "\(indent)    try reader.unknownField(&scope, known: [\(names)])\n\(indent)  }\n"
    for field in fields {
      let value = field.isOptional ? "\(field.local) ?? nil" : "try \(field.local).required(\"\(field.name)\")"
      text += "\(indent)  self.\(field.name) = \(value)\n"
    }
    return text + "\(indent)}\n"
  }

  private func encoder(_ fields: [Property], indent: String) -> String {
    var text = "\(indent)public func encode(to writer: inout JSONWriter) {\n"
    text += "\(indent)  writer.beginObject()\n"
    for field in fields { text += "\(indent)  writer.field(\"\(field.name)\", self.\(field.name))\n" }
    return text + "\(indent)  writer.endObject()\n\(indent)}\n"
  }

  private func enumeration(_ cases: [InterfaceField], named name: String, indent: String) -> String {
    let inner = indent + "  "
    var text = "\(indent)public enum \(name): String, CaseIterable, VarlinkDecodable, VarlinkEncodable, Sendable {\n"
    for entry in cases {
      text += Self.documentation(entry.comment, indent: inner)
      text += "\(inner)case \(SwiftNames.escaped(entry.name))\n"
    }
    text += """

      \(inner)public init(from reader: inout JSONReader) throws(VarlinkError) {
      \(inner)  self = try Self(rawValue: try reader.readString()).oneOfItsCases()
      \(inner)}

      \(inner)public func encode(to writer: inout JSONWriter) { writer.write(rawValue) }

      """
    return text + "\(indent)}\n"
  }
}
