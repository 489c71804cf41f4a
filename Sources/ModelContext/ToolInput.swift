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

  func text(_ name: String) throws -> String? {
    switch values[name] {
    case nil, .null?: return nil
    case .string(let text)?: return text
    default: throw Mistake(text: "\(name) must be a string.")
    }
  }

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
    switch values[name] {
    case nil, .null?: return nil
    case .bool(let value)?: return value
    default: throw Mistake(text: "\(name) must be true or false.")
    }
  }

  func number(_ name: String, in range: ClosedRange<Int64>, default standard: Int64) throws -> Int {
    switch values[name] {
    case nil, .null?: return Int(standard)
    case .integer(let value)? where range.contains(value): return Int(value)
    default: throw Mistake(text: "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
    }
  }

  func texts(_ name: String, limit: Int) throws -> [String]? {
    switch values[name] {
    case nil, .null?: return nil
    case .array(let items)?:
      guard (1...limit).contains(items.count) else { throw Mistake(text: "\(name) takes 1 to \(limit) strings.") }
      return try items.map { item in
        guard case .string(let text) = item else { throw Mistake(text: "\(name) must be a list of strings.") }
        return text
      }
    default: throw Mistake(text: "\(name) must be a list of strings.")
    }
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
    switch values[name] {
    case nil, .null?: return nil
    case .array(let items)? where items.count == 4:
      let degrees = try items.map { item throws in
        switch item {
        case .integer(let value): return Double(value)
        case .double(let value): return value
        default: throw Mistake(text: "\(name) takes four numbers.")
        }
      }
      guard degrees[0] <= degrees[2], degrees.enumerated().allSatisfy({ abs($1) <= ($0 % 2 == 0 ? 90 : 180) }) else {
        throw Mistake(text: "\(name) takes south, west, north and east in degrees, and south is not above north.")
      }
      return Region(south: degrees[0], west: degrees[1], north: degrees[2], east: degrees[3])
    default: throw Mistake(text: "\(name) takes four numbers: south, west, north and east in degrees.")
    }
  }
}
