import Foundation
import Varlink

extension AppManifest {
  /// Converts a property list to the manifest's JSON; nil if `data` is no dictionary. Dates and
  /// data are left out, because no manifest field has these types.
  ///
  /// Keys are sorted, so that an unchanged list gives the same text: a changed text introduces the
  /// app again.
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

  /// `NSNumber` compares true and 1 as equal; only `objCType` tells them apart.
  private static func value(_ number: NSNumber) -> JSONValue {
    switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "c"), UInt8(ascii: "B"): .bool(number.boolValue)
    case UInt8(ascii: "d"), UInt8(ascii: "f"): .double(number.doubleValue)
    default: .integer(number.int64Value)
    }
  }
}
