import Varlink

/// A field of a structure, translated to Swift.
struct Property {
  let name: String
  let comment: [String]
  /// The Swift type; optional if the field is.
  let swiftType: String
  /// The structure or enumeration declared inside the field, if any.
  let nested: InterfaceType?
  /// The declared range as Swift; nil: none.
  let range: String?

  var isOptional: Bool { swiftType.hasSuffix("?") }
  var swiftName: String { SwiftNames.escaped(name) }
  /// The variable into which the decoder reads it.
  var local: String { ["reader", "scope"].contains(name) ? name + "Value" : swiftName }
}

extension SwiftGenerator {
  func property(of field: InterfaceField) throws(GenerationError) -> Property {
    guard let type = field.type else { throw .reservedName(field.name) }
    let inPlace = SwiftNames.capitalised(field.name)
    let swiftType = Self.swiftType(type, inPlace: inPlace)
    let nested = Self.nestedType(type)
    if nested != nil, SwiftNames.reservedTypes.contains(inPlace) { throw .reservedName(inPlace) }
    return Property(
      name: field.name, comment: field.comment, swiftType: swiftType, nested: nested,
      range: try Self.range(of: field, type))
  }

  private static func swiftType(_ type: InterfaceType, inPlace: String) -> String {
    switch type {
    case .bool: "Bool"
    case .int: "Int64"
    case .float: "Double"
    case .string: "String"
    case .object: "JSONObject"
    case .named(let name): name
    case .optional(let inner): swiftType(inner, inPlace: inPlace) + "?"
    case .array(let inner): "[" + swiftType(inner, inPlace: inPlace) + "]"
    case .map(let inner): "[String: " + swiftType(inner, inPlace: inPlace) + "]"
    case .structure, .enumeration: inPlace
    }
  }

  /// The range in the sentence `Range: 1 to 1,000.` of a field's comment.
  private static func range(of field: InterfaceField, _ type: InterfaceType) throws(GenerationError) -> String? {
    let comment = field.comment.joined(separator: " ")
    guard comment.contains("Range:") else { return nil }
    guard let found = comment.firstMatch(of: /Range: (-?[0-9][0-9,.]*) to (-?[0-9][0-9,.]*)\.(?: |$)/) else {
      throw .range(field.name)
    }
    let bounds = [found.1, found.2].map { $0.replacing(",", with: "_") }
    let numbers = bounds.map { $0.replacing("_", with: "") }
    let isOrdered =
      switch number(in: type) {
      case .int: Int64(numbers[0]).flatMap { low in Int64(numbers[1]).map { low <= $0 } }
      case .float: Double(numbers[0]).flatMap { low in Double(numbers[1]).map { low <= $0 } }
      default: false
      }
    guard isOrdered ?? false else { throw .range(field.name) }
    return bounds.joined(separator: "...")
  }

  private static func number(in type: InterfaceType) -> InterfaceType {
    switch type {
    case .optional(let inner), .array(let inner): number(in: inner)
    default: type
    }
  }

  private static func nestedType(_ type: InterfaceType) -> InterfaceType? {
    switch type {
    case .bool, .int, .float, .string, .object, .named: nil
    case .optional(let inner), .array(let inner), .map(let inner): nestedType(inner)
    case .structure, .enumeration: type
    }
  }
}
