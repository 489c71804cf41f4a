import BrokerInterface
import Varlink

/// The grants and rules of a decision file, in the interface's types. An app may still be named by
/// its manifest's identifier.
struct DecisionFile {
  var grants: [Admin.GrantEntry] = []
  var rules: [Admin.Rule] = []

  /// Limit of the file in bytes; the call that it becomes fits a message.
  static let limitBytes = 900_000
  static let help = """
    The file is JSON: {"grants": [{"library": "photos", "app": "org.example.journal", \
    "level": "see-and-change", "status": "selected-photos", \
    "albumPolicy": "own", "expires": "2030-01-01", "select": [{"glob": "2024/**"}, {"last": 10}], "replace": true, \
    "terms": {"location": false, "captions": true, "files": false, "pixels": 1024, "changes": false, \
    "deletions": "ask"}}], \
    "rules": \
    [{"library": "photos", "name": "backup", "identifier": "org.example.backup", "uid": 1001, \
    "level": "see-and-change", "answer": \
    "select", "select": [{"favorite": true}], "lifetime": "30d"}]}. Keys that a grant leaves out stay as they are. \
    select adds to the selection, with the names of the interface's Selector; with replace it becomes the selection, \
    and with "live": true its one selector keeps the selection up to date. \
    A rule answers later requests of such an app, and replaces the rule of its name. Its uid is a user's name or \
    number; its answers are allow, select, decline and keep, and block for administrators. The file is applied as a \
    whole or not at all. On a terminal the changes are shown first.
    """

  /// - Throws: `badData` with the invalid entry.
  init(_ bytes: [UInt8], name: String) throws(CommandError) {
    let file: JSONObject
    do { file = try JSONObject(message: bytes, rules: .client) } catch {
      throw CommandError(.badData, "\(name): \(error.explained(in: bytes))")
    }
    for entry in file.entries {
      guard case .array(let elements) = entry.value, entry.key == "grants" || entry.key == "rules" else {
        throw CommandError(.badData, "\(name) must be an object whose keys are grants and rules, both lists.")
      }
      for (index, element) in elements.enumerated() {
        let place = "\(name), \(entry.key), entry \(index + 1)"
        guard case .object(let object) = element else { throw CommandError(.badData, "\(place) must be an object.") }
        if entry.key == "grants" {
          grants.append(try Self.grant(object, place))
        } else {
          rules.append(try Self.rule(object, place))
        }
      }
    }
    guard !grants.isEmpty || !rules.isEmpty else {
      throw CommandError(.badData, "\(name) holds no grants and no rules.")
    }
  }

  private static func grant(_ object: JSONObject, _ place: String) throws(CommandError) -> Admin.GrantEntry {
    var object = object
    try check(
      object, ["library", "app", "level", "status", "albumPolicy", "expires", "select", "replace", "terms", "live"],
      place)
    try translate(&object, "level", AccessWords.levels, place)
    try translate(&object, "status", AccessWords.statuses, place)
    if case .string(let end)? = object["expires"] {
      object["expires"] = .integer(end == "never" ? 0 : try Moment.parse(end, in: place, "expires"))
    }
    try readSelectors(&object, place)
    do { return try Admin.GrantEntry(message: object.jsonBytes, rules: .server) } catch {
      throw CommandError(.badData, "\(place): \(error.inWords)")
    }
  }

  private static func rule(_ object: JSONObject, _ place: String) throws(CommandError) -> Admin.Rule {
    var object = object
    // `rule list` prints these fields, which the broker sets itself.
    for told in ["author", "made", "rests", "restsOver", "albumTitle"] { object[told] = nil }
    try check(
      object,
      [
        "library", "name", "identifier", "uid", "verifiedIdentity", "level", "answer", "select", "albumPolicy",
        "lifetime", "terms", "live",
      ], place)
    try translate(&object, "level", AccessWords.levels, place)
    try translate(&object, "answer", AccessWords.ruleAnswers, place)
    if case .string(let text)? = object["lifetime"] {
      object["lifetime"] = .integer(try Moment.length(text, in: place, "lifetime"))
    }
    if case .string(let user)? = object["uid"] {
      do throws(CommandError) { object["uid"] = .integer(try Arguments.user(user, of: "uid")) } catch {
        throw CommandError(.badData, "\(place): \(error.message)")
      }
    }
    try readSelectors(&object, place)
    do { return try Admin.Rule(message: object.jsonBytes, rules: .server) } catch {
      throw CommandError(.badData, "\(place): \(error.inWords)")
    }
  }

  private static func check(_ object: JSONObject, _ known: [String], _ place: String) throws(CommandError) {
    for entry in object.entries where !known.contains(entry.key) {
      let hint = NearestWord.hint(for: entry.key, among: known) ?? "Known: \(known.joined(separator: ", "))."
      throw CommandError(.badData, "\(place): there is no key \(entry.key). \(hint)")
    }
  }

  /// Replaces an owner's word by the interface's. The interface's own words are taken too, so that the
  /// JSON of `rule list` and `grant list` can be applied.
  private static func translate(_ object: inout JSONObject, _ key: String, _ words: OwnerWords, _ place: String)
    throws(CommandError)
  {
    guard let value = object[key] else { return }
    guard case .string(let text) = value, words.typed.contains(text) || words.known(text) != nil else {
      throw CommandError(.badData, "\(place): \(key) must be one of \(words.typed.joined(separator: ", ")).")
    }
    object[key] = .string(words.wire(text))
  }

  /// Converts selectors' dates from text to the interface's microseconds.
  private static func readSelectors(_ object: inout JSONObject, _ place: String) throws(CommandError) {
    guard let value = object["select"] else { return }
    guard case .array(let elements) = value else {
      throw CommandError(.badData, "\(place): select must be a list of objects.")
    }
    var selectors: [JSONValue] = []
    for element in elements {
      guard case .object(var selector) = element else {
        throw CommandError(.badData, "\(place): select must be a list of objects.")
      }
      guard !selector.entries.isEmpty else {
        throw CommandError(.badData, "\(place): an empty choice of assets; write {\"all\": true} for everything.")
      }
      for key in ["createdFrom", "createdBefore"] {
        if case .string(let text)? = selector[key] { selector[key] = .integer(try Moment.parse(text, in: place, key)) }
      }
      selectors.append(.object(selector))
    }
    object["select"] = .array(selectors)
  }
}
