import BrokerInterface
import Limits
import Varlink

/// The fields of an object in a sandbox's script. Each error names the object's position.
struct SandboxFields {
  private let object: JSONObject
  private let place: String

  init(_ object: JSONObject, _ place: String) { (self.object, self.place) = (object, place) }

  func wrong(_ what: String) -> CommandError {
    CommandError(.badData, "\(place): \(what)" + (what.hasSuffix("?") ? "" : "."))
  }

  func check(_ known: [String]) throws(CommandError) {
    for entry in object.entries where !known.contains(entry.key) {
      let hint = NearestWord.hint(for: entry.key, among: known) ?? "Known: \(known.joined(separator: ", "))"
      throw wrong("there is no key \(entry.key). \(hint)")
    }
  }

  func has(_ key: String) -> Bool { object[key] != nil }

  func text(_ key: String) throws(CommandError) -> String? {
    guard let value = object[key] else { return nil }
    guard case .string(let text) = value, !text.isEmpty else { throw wrong("\(key) must be a text") }
    return text
  }

  func word(_ key: String, of words: [String]) throws(CommandError) -> String? {
    guard let word = try text(key) else { return nil }
    guard words.contains(word) else { throw wrong("\(key) must be one of \(words.joined(separator: ", "))") }
    return word
  }

  func moment(_ key: String) throws(CommandError) -> Int64? {
    if case .integer(let number)? = object[key], number >= 0 { return number }
    guard let text = try text(key) else { return nil }
    return try Moment.parse(text, in: place, key)
  }

  /// The sandbox's clock, in the years 1970 to 2099.
  func clock() throws(CommandError) -> Int64? {
    guard let clock = try moment("clock") else { return nil }
    guard SandboxLimits.clock.contains(clock) else { throw wrong("clock must be in the years 1970 to 2099") }
    return clock
  }

  /// Seconds, at most a year.
  func seconds(_ key: String) throws(CommandError) -> Double? {
    let number: Double
    switch object[key] {
    case nil: return nil
    case .integer(let value): number = Double(value)
    case .double(let value): number = value
    default: throw wrong("\(key) must be a number of seconds")
    }
    guard (0...31_622_400).contains(number) else { throw wrong("\(key) must be 0 to 31,622,400 seconds") }
    return number
  }

  func count(_ key: String) throws(CommandError) -> Int64? {
    guard let value = object[key] else { return nil }
    guard case .integer(let number) = value, number > 0 else { throw wrong("\(key) must be a number from 1 on") }
    return number
  }

  func objects(_ key: String) throws(CommandError) -> [JSONObject] {
    guard let value = object[key] else { return [] }
    guard case .array(let elements) = value else { throw wrong("\(key) must be a list of objects") }
    var objects: [JSONObject] = []
    for element in elements {
      guard case .object(let object) = element else { throw wrong("\(key) must be a list of objects") }
      objects.append(object)
    }
    return objects
  }

  func selector(_ key: String) throws(CommandError) -> Admin.Selector? {
    guard let value = object[key] else { return nil }
    guard case .object(var selector) = value, !selector.entries.isEmpty else {
      throw wrong("\(key) must be an object that chooses assets; {\"all\": true} chooses everything")
    }
    for date in ["createdFrom", "createdBefore"] {
      if case .string(let text)? = selector[date] { selector[date] = .integer(try Moment.parse(text, in: place, date)) }
    }
    let chosen: Admin.Selector
    do { chosen = try Admin.Selector(message: selector.jsonBytes, rules: .server) } catch {
      throw wrong("\(key): \(error.inWords)")
    }
    guard chosen.last ?? 0 >= 0 else { throw wrong("\(key): last must be a number from 0 on") }
    return chosen
  }
}
