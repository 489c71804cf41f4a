import Broker
import Catalogue
import PhotoModel

/// Writes records into bytes and reads them again, by one description of their fields for both.
///
/// A description is a method that takes the record to write, or nil to read one, and returns it.
final class RecordCoder {
  /// The bytes are not of the record.
  struct Damaged: Error {}

  private var writer = ByteWriter()
  private var reader: ByteReader
  private let isReading: Bool

  private init(reading bytes: [UInt8]?) { (reader, isReading) = (ByteReader(bytes ?? []), bytes != nil) }

  static func encode<Record>(
    _ record: Record, _ description: (RecordCoder) -> (Record?) throws(Damaged) -> Record
  ) -> [UInt8] {
    let coder = RecordCoder(reading: nil)
    // Only reading throws.
    _ = try? description(coder)(record)
    return coder.writer.bytes
  }

  /// Returns nil for bytes that `encode` did not write.
  static func decode<Record>(
    _ bytes: [UInt8], _ description: (RecordCoder) -> (Record?) throws(Damaged) -> Record
  ) -> Record? {
    let coder = RecordCoder(reading: bytes)
    let record = try? description(coder)(nil)
    return coder.reader.isAtEnd ? record : nil
  }

  private func value<Value>(
    _ value: Value?, _ read: (inout ByteReader) -> Value?, _ write: (inout ByteWriter, Value) -> Void
  ) throws(Damaged) -> Value {
    let value = try known(isReading ? read(&reader) : value)
    if !isReading { write(&writer, value) }
    return value
  }

  func known<Value>(_ value: Value?) throws(Damaged) -> Value {
    guard let value else { throw Damaged() }
    return value
  }

  func integer<Number: FixedWidthInteger>(_ number: Number?) throws(Damaged) -> Number {
    let wide = try value(
      number.map { Int64(clamping: $0) }, { $0.compactSigned() }, { $0.putCompact(signed: $1) })
    return try known(Number(exactly: wide))
  }

  func flag(_ flag: Bool?) throws(Damaged) -> Bool {
    let bit = try integer(flag.map { $0 ? 1 : 0 })
    return try known([0: false, 1: true][bit])
  }

  func text(_ text: String?) throws(Damaged) -> String { try value(text, { $0.text() }, { $0.put($1) }) }
  func bytes(_ bytes: [UInt8]?) throws(Damaged) -> [UInt8] { try value(bytes, { $0.bytes() }, { $0.put($1) }) }

  func time(_ time: Timestamp?) throws(Damaged) -> Timestamp {
    Timestamp(microseconds: try integer(time?.microseconds))
  }

  func named<Value: RawRepresentable<String>>(_ value: Value?) throws(Damaged) -> Value {
    try known(Value(rawValue: try text(value?.rawValue)))
  }

  func numbered<Value: RawRepresentable>(_ value: Value?) throws(Damaged) -> Value
  where Value.RawValue: FixedWidthInteger {
    try known(Value(rawValue: try integer(value?.rawValue)))
  }

  /// 128 bits of an identifier.
  func identifier<Identifier: RandomIdentifier>(_ identifier: Identifier?) throws(Damaged) -> Identifier {
    try value(identifier, { $0.identifier() }, { $0.put($1) })
  }

  func optional<Value>(
    _ value: Value?, _ description: (Value?) throws(Damaged) -> Value
  ) throws(Damaged) -> Value? {
    try flag(value != nil) ? try description(value) : nil
  }

  func list<Element>(
    _ list: [Element]?, _ description: (Element?) throws(Damaged) -> Element
  ) throws(Damaged) -> [Element] {
    let count = try value(list?.count, { $0.count(ofAtLeast: 1) }, { $0.putCompact(UInt64($1)) })
    var elements: [Element] = []
    for index in 0..<count { elements.append(try description(list?[index])) }
    return elements
  }
}
