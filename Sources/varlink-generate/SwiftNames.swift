/// The Swift names of an interface's names.
enum SwiftNames {
  /// Types that generated code uses without qualification.
  static let reservedTypes: Set<String> = [
    "Array", "Bool", "CaseIterable", "Dictionary", "Double", "Hashable", "Int64", "JSONObject", "JSONReader",
    "JSONWriter", "MethodError", "Optional", "Parameters", "Protocol", "Reply", "Self", "Sendable", "StaticString",
    "String", "Type", "VarlinkDecodable", "VarlinkEncodable", "VarlinkError", "VarlinkMethod",
  ]

  private static let keywords: Set<String> = [
    "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do", "else",
    "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init",
    "inout", "internal", "is", "let", "nil", "operator", "private", "precedencegroup", "protocol", "public", "repeat",
    "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try",
    "typealias", "var", "where", "while",
  ]

  /// The name, in backticks if Swift needs them.
  static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

  /// The name with a capital first letter, and without characters that are invalid in a type's
  /// name.
  static func capitalised(_ name: String) -> String {
    name.split { $0 == "_" || $0 == "-" }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}
