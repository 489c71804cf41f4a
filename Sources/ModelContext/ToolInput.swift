import Foundation
import PhotoBroker
import Varlink

/// A mistake of the caller; its text says what to do.
struct Mistake: Error {
  let text: String
}

/// The arguments of one call, read with their bounds.
struct ToolInput {
  private let values: JSONObject

  init(_ values: JSONObject) { self.values = values }

  /// Refuses names that the tool does not have: a misspelt filter would widen a search.
  func refuseOthers(than names: [String]) throws {
    for entry in values.entries where !names.contains(entry.key) {
      throw Mistake(text: "There is no argument \(entry.key.prefix(64)). Arguments: \(names.joined(separator: ", ")).")
    }
  }

  /// The value of an argument; nil without it, or if it is null.
  /// - Throws: ``Mistake`` with the rule, unless `read` accepts the value.
  private func value<Value>(_ name: String, _ rule: String, _ read: (JSONValue) -> Value?) throws -> Value? {
    guard let given = values[name], given != .null else { return nil }
    guard let value = read(given) else { throw Mistake(text: "\(name) \(rule).") }
    return value
  }

  func text(_ name: String) throws -> String? { try value(name, "must be a string", Self.text) }

  private static func text(_ value: JSONValue) -> String? { if case .string(let text) = value { text } else { nil } }

  func required(_ name: String) throws -> String {
    guard let text = try text(name), !text.isEmpty else { throw Mistake(text: "\(name) is missing.") }
    return text
  }

  /// A path that does not depend on where the agent started this program.
  func path(_ name: String) throws -> String {
    let path = try required(name)
    guard path.hasPrefix("/") else { throw Mistake(text: "\(name) must be an absolute path, such as /home/anna/file.") }
    return path
  }

  func flag(_ name: String) throws -> Bool? {
    try value(name, "must be true or false") { if case .bool(let flag) = $0 { flag } else { nil } }
  }

  func number(_ name: String, in range: ClosedRange<Int64>, default standard: Int64) throws -> Int {
    let rule = "must be a whole number from \(range.lowerBound) to \(range.upperBound)"
    let number = try value(name, rule) { given in
      if case .integer(let number) = given, range.contains(number) { number } else { nil }
    }
    return Int(number ?? standard)
  }

  func texts(_ name: String, limit: Int) throws -> [String]? {
    let texts = try value(name, "must be a list of strings") { given -> [String]? in
      guard case .array(let items) = given else { return nil }
      let texts = items.compactMap(Self.text)
      return texts.count == items.count ? texts : nil
    }
    if let texts, !(1...limit).contains(texts.count) { throw Mistake(text: "\(name) takes 1 to \(limit) strings.") }
    return texts
  }

  /// A day, at its beginning in UTC, or a point in time with its offset.
  func date(_ name: String) throws -> Date? {
    guard let text = try text(name) else { return nil }
    let day = Date.ISO8601FormatStyle().year().month().day()
    guard let date = (try? Date(text, strategy: .iso8601)) ?? (try? Date(text, strategy: day)) else {
      throw Mistake(text: "\(name) must be a date such as 2026-05-01 or 2026-05-01T12:00:00Z.")
    }
    return date
  }

  /// South, west, north and east in degrees.
  func region(_ name: String) throws -> Region? {
    let degrees = try value(name, "takes four numbers: south, west, north and east in degrees") { given -> [Double]? in
      guard case .array(let items) = given, items.count == 4 else { return nil }
      let numbers = items.compactMap { item -> Double? in
        switch item {
        case .integer(let number): Double(number)
        case .double(let number): number
        default: nil
        }
      }
      return numbers.count == 4 ? numbers : nil
    }
    guard let degrees else { return nil }
    guard degrees[0] <= degrees[2], degrees.enumerated().allSatisfy({ abs($1) <= ($0 % 2 == 0 ? 90 : 180) }) else {
      throw Mistake(text: "\(name) takes south, west, north and east in degrees, and south is not above north.")
    }
    return Region(south: degrees[0], west: degrees[1], north: degrees[2], east: degrees[3])
  }
}
