import Varlink

/// A field of a structure as Swift sees it.
struct Property {
  let name: String
  let comment: [String]
  /// The Swift type, optional where the field is.
  let swiftType: String
  /// The Swift type of a value that is present.
  let wireType: String
  /// The type that the field declares in place, if it does.
  let nested: InterfaceType?

  var isOptional: Bool { swiftType != wireType }
  /// The name in a declaration.
  var swiftName: String { SwiftNames.escaped(name) }
  /// The name of the variable that it is read into.
  var local: String { ["reader", "scope"].contains(name) ? name + "Value" : swiftName }
}

extension SwiftGenerator {
  func property(of field: InterfaceField) throws(GenerationError) -> Property {
    guard let type = field.type else { throw .reservedName(field.name) }
    let inPlace = SwiftNames.capitalised(field.name)
    let swiftType = Self.swiftType(type, inPlace: inPlace)
    let wireType = if case .optional(let inner) = type { Self.swiftType(inner, inPlace: inPlace) } else { swiftType }
    let nested = Self.nestedType(type)
    if nested != nil, SwiftNames.reservedTypes.contains(inPlace) { throw .reservedName(inPlace) }
    return Property(
      name: field.name, comment: field.comment, swiftType: swiftType, wireType: wireType, nested: nested)
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

  private static func nestedType(_ type: InterfaceType) -> InterfaceType? {
    switch type {
    case .bool, .int, .float, .string, .object, .named: nil
    case .optional(let inner), .array(let inner), .map(let inner): nestedType(inner)
    case .structure, .enumeration: type
    }
  }
}
