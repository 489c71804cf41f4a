import BrokerInterface
import Varlink

/// The grants and rules of a decision file, in the interface's types. Apps, assets and albums have the
/// names of the file until ``resolve(_:)``.
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
    Apps, assets, albums and dates are written as in other commands: "album": "Trip", "expires": "30d". \
    A rule answers later requests of such an app, and replaces the rule of its name. Its uid is a user's name or \
    number; its answers are allow, select, decline and keep, and block for administrators. The file is applied as a \
    whole or not at all. On a terminal the changes are shown first.
    """

  /// - Throws: `badData` with the invalid entry.
  init(_ bytes: [UInt8], name: String) throws(CommandError) {
    let file = try FileFields(file: bytes, name: name)
    try file.check(["grants", "rules"])
    grants = try file.objects("grants").map(Self.grant)
    rules = try file.objects("rules").map(Self.rule)
    guard !grants.isEmpty || !rules.isEmpty else { throw file.wrong("it holds no grants and no rules") }
  }

  /// Replaces the names of apps, assets and albums by whole identifiers.
  /// - Throws: `usage` for a name of several.
  mutating func resolve(_ invocation: Invocation) throws(CommandError) {
    for index in grants.indices {
      grants[index].app = try invocation.app(grants[index].app)
      grants[index].select = try invocation.whole(grants[index].select, in: grants[index].library)
    }
    for index in rules.indices {
      rules[index].select = try invocation.whole(rules[index].select, in: rules[index].library)
    }
  }

  private static func grant(_ fields: FileFields) throws(CommandError) -> Admin.GrantEntry {
    try fields.check([
      "library", "app", "level", "status", "albumPolicy", "expires", "select", "replace", "terms", "live",
    ])
    return try fields.decoded(Admin.GrantEntry.self) { (object) throws(CommandError) in
      try translate(&object, "level", AccessWords.levels, fields)
      try translate(&object, "status", AccessWords.statuses, fields)
      if case .string(let end)? = object["expires"] {
        object["expires"] = .integer(
          end == "never" ? 0 : try Moment.parse(end, in: fields.place, "expires", toward: .future))
      }
      try readSelectors(&object, fields)
    }
  }

  /// The fields that `rule list` prints and the broker sets itself.
  private static let told = ["author", "made", "rests", "restsOver", "albumTitle"]

  private static func rule(_ fields: FileFields) throws(CommandError) -> Admin.Rule {
    try fields.check(
      [
        "library", "name", "identifier", "uid", "verifiedIdentity", "level", "answer", "select", "albumPolicy",
        "lifetime", "terms", "live",
      ], ignoring: told)
    return try fields.decoded(Admin.Rule.self) { (object) throws(CommandError) in
      for key in told { object[key] = nil }
      try translate(&object, "level", AccessWords.levels, fields)
      try translate(&object, "answer", AccessWords.ruleAnswers, fields)
      if case .string(let text)? = object["lifetime"] {
        object["lifetime"] = .integer(try Moment.length(text, in: fields.place, "lifetime"))
      }
      if case .string(let user)? = object["uid"] {
        do throws(CommandError) { object["uid"] = .integer(try Arguments.user(user, of: "uid")) } catch {
          throw CommandError(.badData, "\(fields.place): \(error.message)")
        }
      }
      try readSelectors(&object, fields)
    }
  }

  /// Replaces an owner's word by the interface's. The interface's own words are taken too, so that the
  /// JSON of `rule list` and `grant list` can be applied.
  private static func translate(_ object: inout JSONObject, _ key: String, _ words: OwnerWords, _ fields: FileFields)
    throws(CommandError)
  {
    guard let value = object[key] else { return }
    guard case .string(let text) = value, words.typed.contains(text) || words.known(text) != nil else {
      throw fields.wrong("\(key) must be one of \(words.typed.joined(separator: ", "))")
    }
    object[key] = .string(words.wire(text))
  }

  private static func readSelectors(_ object: inout JSONObject, _ fields: FileFields) throws(CommandError) {
    guard fields.has("select") else { return }
    object["select"] = .array(
      try fields.objects("select").map { (fields) throws(CommandError) in
        var selector = fields.object
        guard !selector.entries.isEmpty else {
          throw fields.wrong("an empty choice of assets; write {\"all\": true} for everything")
        }
        try FileFields.readDates(&selector, fields.place)
        return .object(selector)
      })
  }
}
