import Varlink

/// An object with one text, to print and parse again.
struct JSONObjectSample {
  let object: JSONObject

  init(_ text: String) { object = ["k": .string(text), "n": .integer(1)] }

  static func read(_ json: String) throws -> JSONObject { try JSONObject(message: Array(json.utf8), rules: .client) }
}
