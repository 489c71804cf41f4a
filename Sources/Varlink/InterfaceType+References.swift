extension InterfaceType {
  /// The names of types that this one uses, at any depth.
  public var references: [String] {
    switch self {
    case .bool, .int, .float, .string, .object, .enumeration: []
    case .named(let name): [name]
    case .optional(let inner), .array(let inner), .map(let inner): inner.references
    case .structure(let fields): fields.flatMap { $0.type?.references ?? [] }
    }
  }
}
