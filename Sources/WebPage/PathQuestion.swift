import Varlink

/// A path that a person typed, and its use.
struct PathQuestion {
  /// Nil asks for the folder to propose.
  var path: String?
  /// The name of the library that the folder becomes; nil examines the folder alone.
  var library: String?
  /// Whether the broker's user is let into the folder first.
  var letsIn = false
  /// Whether the plugin is installed; false examines its file alone.
  var isInstalled = false

  /// - Parameter fields: The ones of this route, in the order of its message.
  /// - Throws: `badRequest`.
  init(_ asked: JSONObject, fields: [String]) throws(PageError) {
    for entry in asked.entries where fields.contains(entry.key) {
      switch (entry.key, entry.value) {
      case ("path", .string(let text)) where !text.utf8.contains(0): path = text
      case ("name", .string(let text)) where !text.utf8.contains(0): library = text
      case ("letIn", .bool(let isMeant)): letsIn = isMeant
      case ("install", .bool(let isMeant)): isInstalled = isMeant
      default: throw PageError(.badRequest, "\(entry.key) has a value of the wrong kind, or one with a zero byte.")
      }
    }
    guard asked.entries.allSatisfy({ fields.contains($0.key) }), path != nil || asked.entries.isEmpty else {
      throw PageError(.badRequest, "Send path, a text, and nothing else than \(fields.joined(separator: " and ")).")
    }
  }
}
