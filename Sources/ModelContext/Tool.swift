import PhotoBroker
import Varlink

/// One tool that an agent can call.
struct Tool: Sendable {
  /// The parts of a call that are not its arguments.
  struct Context: Sendable {
    let library: PhotoLibrary
    /// Tells the agent, in words, what the call still waits for.
    let report: @Sendable (String) -> Void
  }

  enum Effect {
    /// Writes new files for the agent, and changes no photo.
    case saves
    case reads, changes, deletes
  }

  let name: String
  let title: String
  let description: String
  let effect: Effect
  /// Whether the tool fails until the owner has decided.
  let needsDecision: Bool
  /// Each argument with its JSON schema.
  let arguments: [(name: String, schema: JSONObject)]
  let required: [String]
  /// - Returns: MCP content blocks.
  let run: @Sendable (ToolInput, Context) async throws -> [JSONValue]

  init(
    _ name: String, _ title: String, _ description: String, effect: Effect = .reads, needsDecision: Bool = true,
    _ arguments: [(name: String, schema: JSONObject)] = [], required: [String] = [],
    run: @escaping @Sendable (ToolInput, Context) async throws -> [JSONValue]
  ) {
    (self.name, self.title, self.description, self.effect) = (name, title, description, effect)
    (self.arguments, self.required, self.run, self.needsDecision) = (arguments, required, run, needsDecision)
  }

  /// The entry in `tools/list`.
  var listing: JSONValue {
    var properties = JSONObject()
    for argument in arguments { properties[argument.name] = .object(argument.schema) }
    let schema: JSONObject = [
      "type": .string("object"), "properties": .object(properties), "required": .array(required.map { .string($0) }),
      "additionalProperties": .bool(false),
    ]
    let hints: JSONObject = [
      "title": .string(title), "readOnlyHint": .bool(effect == .reads), "destructiveHint": .bool(effect == .deletes),
      "openWorldHint": .bool(false),
    ]
    return .object([
      "name": .string(name), "title": .string(title), "description": .string(description),
      "inputSchema": .object(schema), "annotations": .object(hints),
    ])
  }
}

/// Schemas of arguments.
enum Schema {
  static func text(_ description: String) -> JSONObject {
    ["type": .string("string"), "description": .string(description)]
  }

  static func flag(_ description: String) -> JSONObject {
    ["type": .string("boolean"), "description": .string(description)]
  }

  static func number(_ description: String, _ range: ClosedRange<Int64>) -> JSONObject {
    [
      "type": .string("integer"), "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound),
      "description": .string(description),
    ]
  }

  static func choice(_ description: String, _ values: [String]) -> JSONObject {
    ["type": .string("string"), "enum": .array(values.map { .string($0) }), "description": .string(description)]
  }

  static func list(_ description: String, of type: String = "string", _ count: ClosedRange<Int64>) -> JSONObject {
    [
      "type": .string("array"), "items": .object(["type": .string(type)]), "minItems": .integer(count.lowerBound),
      "maxItems": .integer(count.upperBound), "description": .string(description),
    ]
  }
}

/// Content blocks.
enum Content {
  static func text(_ text: String) -> JSONValue { .object(["type": .string("text"), "text": .string(text)]) }

  static func json(_ value: JSONValue) -> JSONValue { text(String(decoding: value.jsonBytes, as: UTF8.self)) }

  static func jpeg(_ base64: String) -> JSONValue {
    .object(["type": .string("image"), "data": .string(base64), "mimeType": .string("image/jpeg")])
  }
}
