/// Any JSON value: what the interface calls `object`, and what the command line prints.
public enum JSONValue: Hashable, Sendable {
  /// The absent value.
  case null
  /// true or false.
  case bool(Bool)
  /// A number written without fraction and exponent that fits 64 bits.
  case integer(Int64)
  /// Any other number.
  case double(Double)
  /// Text.
  case string(String)
  /// A list.
  case array([JSONValue])
  /// Keys and values, in the order in which they were written.
  case object(JSONObject)
}

extension JSONValue: VarlinkDecodable, VarlinkEncodable {
  public init(from reader: inout JSONReader) throws(VarlinkError) {
    switch try reader.peek() {
    case .null: self = try reader.takeNull() ? .null : .bool(reader.readBool())
    case .bool: self = .bool(try reader.readBool())
    case .number: self = try reader.readNumber()
    case .string: self = .string(try reader.readString())
    case .array: self = .array(try [JSONValue](from: &reader))
    case .object: self = .object(try JSONObject(from: &reader))
    }
  }

  public func encode(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.writeNull()
    case .bool(let value): writer.write(value)
    case .integer(let value): writer.write(value)
    case .double(let value): writer.write(value)
    case .string(let value): writer.write(value)
    case .array(let value): value.encode(to: &writer)
    case .object(let value): value.encode(to: &writer)
    }
  }
}

extension JSONReader {
  /// Reads a number as what it is: an integer where it is written as one and fits 64 bits.
  mutating func readNumber() throws(VarlinkError) -> JSONValue {
    let start = position
    let number = try scanNumber()
    if number.isInteger {
      let end = position
      position = start
      do {
        return .integer(try readInteger())
      } catch {
        position = end
      }
    }
    return .double(try double(of: number.range))
  }
}
