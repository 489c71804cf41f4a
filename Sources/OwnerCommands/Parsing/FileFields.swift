import BrokerInterface
import Limits
import Varlink

/// The fields of a JSON object in a file. Each error names the object's position.
struct FileFields {
  let object: JSONObject
  /// The words for the object's position.
  let place: String

  init(_ object: JSONObject, _ place: String) { (self.object, self.place) = (object, place) }

  /// - Throws: `badData` unless the file is a JSON object.
  init(file bytes: [UInt8], name: String) throws(CommandError) {
    place = name
    do { object = try JSONObject(message: bytes, rules: .client) } catch {
      throw CommandError(.badData, "\(name): \(error.explained(in: bytes))")
    }
  }

  func wrong(_ what: String) -> CommandError {
    CommandError(.badData, "\(place): \(what)" + (what.hasSuffix("?") ? "" : "."))
  }

  func check(_ known: [String], ignoring ignored: [String] = []) throws(CommandError) {
    for entry in object.entries where !known.contains(entry.key) && !ignored.contains(entry.key) {
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

  /// The objects of a list.
  func objects(_ key: String) throws(CommandError) -> [FileFields] {
    guard let value = object[key] else { return [] }
    guard case .array(let elements) = value else { throw wrong("\(key) must be a list of objects") }
    return try elements.enumerated().map { (index, element) throws(CommandError) in
      guard case .object(let object) = element else { throw wrong("\(key) must be a list of objects") }
      return FileFields(object, "\(place), \(key), entry \(index + 1)")
    }
  }

  /// An object with other values, as a structure of the interface.
  func decoded<Value: VarlinkDecodable>(
    _ type: Value.Type, _ change: (inout JSONObject) throws(CommandError) -> Void
  ) throws(CommandError) -> Value {
    var changed = object
    try change(&changed)
    do { return try Value(message: changed.jsonBytes, rules: .server) } catch { throw wrong(error.inWords) }
  }

  func selector(_ key: String) throws(CommandError) -> Admin.Selector? {
    guard let value = object[key] else { return nil }
    guard case .object(let selector) = value, !selector.entries.isEmpty else {
      throw wrong("\(key) must be an object that chooses assets; {\"all\": true} chooses everything")
    }
    let chosen = try FileFields(selector, "\(place), \(key)").decoded(Admin.Selector.self) {
      (selector) throws(CommandError) in try Self.readDates(&selector, place)
    }
    guard chosen.last ?? 0 >= 0 else { throw wrong("\(key): last must be a number from 0 on") }
    return chosen
  }

  /// Converts a selector's dates from text to the interface's microseconds.
  static func readDates(_ selector: inout JSONObject, _ place: String) throws(CommandError) {
    for date in ["createdFrom", "createdBefore"] {
      guard case .string(let text)? = selector[date] else { continue }
      selector[date] = .integer(try Moment.parse(text, in: place, date, toward: .past))
    }
  }
}
