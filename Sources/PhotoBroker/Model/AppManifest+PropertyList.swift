import Foundation
import Varlink

extension AppManifest {
  /// A property list as the JSON that a manifest is sent as; nil where it is none, or no
  /// dictionary. Dates and data, which no part of a manifest is, are left out. Its keys are in one
  /// order, so that the same list is the same text.
  static func json(propertyList data: Data) -> JSONObject? {
    guard let list = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any] else {
      return nil
    }
    return object(list)
  }

  private static func object(_ list: [String: Any]) -> JSONObject {
    var json = JSONObject()
    for (key, element) in list.sorted(by: { $0.key < $1.key }) { json[key] = value(element) }
    return json
  }

  private static func value(_ element: Any) -> JSONValue? {
    switch element {
    case let text as String: .string(text)
    case let number as NSNumber: value(number)
    case let elements as [Any]: .array(elements.compactMap(value))
    case let list as [String: Any]: .object(object(list))
    default: nil
    }
  }

  /// A flag and a 1 are the same but for the type that they were made from.
  private static func value(_ number: NSNumber) -> JSONValue {
    switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "c"), UInt8(ascii: "B"): .bool(number.boolValue)
    case UInt8(ascii: "d"), UInt8(ascii: "f"): .double(number.doubleValue)
    default: .integer(number.int64Value)
    }
  }
}
