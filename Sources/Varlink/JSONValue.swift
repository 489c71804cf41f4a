/// Any JSON value: an `object` of an interface, or output of the command line.
public enum JSONValue: Hashable, Sendable {
  /// null.
  case null
  /// true or false.
  case bool(Bool)
  /// A number without fraction and exponent that fits in 64 bits.
  case integer(Int64)
  /// Any other number.
  case double(Double)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object, with its keys in their original order.
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
  /// Reads a number: an integer if it is written as one and fits in 64 bits.
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
