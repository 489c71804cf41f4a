import BrokerInterface
import Varlink

/// One decision of a declarative file: what an app may do, and what is added to its selection.
struct GrantPlan {
  let library: String
  let app: String
  let level: String
  let status: String?
  let albumPolicy: String?
  /// Microseconds since 1970; 0 is never, nil leaves it.
  let expires: Int64?
  let selectors: [Admin.Selector]

  /// The longest file, in bytes.
  static let limitBytes = 1 << 20
  static let help = """
    The file is JSON: {"grants": [{"library": "photos", "app": "org.example.journal", "level": "readWrite", "status": "limited", \
    "albumPolicy": "own", "expires": "2030-01-01", "select": [{"glob": "2024/**"}, {"last": 10}]}]}. What an entry leaves out \
    stays as it is; select adds to the selection and takes nothing away, with the names of the interface's Selector. \
    On a terminal what would change is shown first.
    """

  /// The plans that a file holds.
  ///
  /// - Throws: `badData` with the entry that makes no sense.
  static func read(_ bytes: [UInt8], name: String) throws(CommandError) -> [GrantPlan] {
    let file: JSONObject
    do { file = try JSONObject(message: bytes, rules: .client) } catch { throw CommandError(.badData, "\(name): \(error)") }
    guard case .array(let entries)? = file["grants"], file.entries.count == 1 else {
      throw CommandError(.badData, "\(name) must be an object with the one key grants, a list.")
    }
    var plans: [GrantPlan] = []
    for (index, entry) in entries.enumerated() {
      guard case .object(let object) = entry else { throw CommandError(.badData, "\(name), entry \(index + 1) is no object.") }
      plans.append(try GrantPlan(object, place: "\(name), entry \(index + 1)"))
    }
    return plans
  }

  private init(_ object: JSONObject, place: String) throws(CommandError) {
    let known = ["library", "app", "level", "status", "albumPolicy", "expires", "select"]
    for entry in object.entries where !known.contains(entry.key) {
      throw CommandError(.badData, "\(place): there is no key \(entry.key). \(NearestWord.hint(for: entry.key, among: known) ?? "")")
    }
    func text(_ key: String, of words: [String] = []) throws(CommandError) -> String? {
      guard let value = object[key] else { return nil }
      guard case .string(let text) = value, words.isEmpty || words.contains(text) else {
        throw CommandError(.badData, "\(place): \(key) must be \(words.isEmpty ? "text" : "one of " + words.joined(separator: ", ")).")
      }
      return text
    }
    func required(_ key: String, of words: [String] = []) throws(CommandError) -> String {
      guard let text = try text(key, of: words) else { throw CommandError(.badData, "\(place): \(key) is missing.") }
      return text
    }
    library = try required("library")
    app = try required("app")
    level = try required("level", of: AccessWords.levels)
    status = try text("status", of: AccessWords.statuses)
    albumPolicy = try text("albumPolicy", of: AccessWords.albumPolicies)
    let end = try text("expires")
    expires = end == "never" ? 0 : try end.map { (text) throws(CommandError) in try Moment.parse(text, of: "\(place): expires") }
    var selectors: [Admin.Selector] = []
    if let value = object["select"] {
      guard case .array(let elements) = value else { throw CommandError(.badData, "\(place): select must be a list of objects.") }
      for element in elements { selectors.append(try Self.selector(element, place: place)) }
    }
    self.selectors = selectors
  }

  /// A selector of the interface, in which dates may be written as people do.
  private static func selector(_ value: JSONValue, place: String) throws(CommandError) -> Admin.Selector {
    guard case .object(var object) = value else { throw CommandError(.badData, "\(place): select must be a list of objects.") }
    for key in ["createdFrom", "createdBefore"] {
      if case .string(let text)? = object[key] { object[key] = .integer(try Moment.parse(text, of: "\(place): \(key)")) }
    }
    let selector: Admin.Selector
    do { selector = try Admin.Selector(message: object.jsonBytes, rules: .server) } catch {
      throw CommandError(.badData, "\(place): select: \(error)")
    }
    guard selector != Admin.Selector() else { throw CommandError(.badData, "\(place): an empty choice of assets; write {\"all\": true} for everything.") }
    return selector
  }
}
