import Broker
import BrokerInterface
import Catalogue
import PhotoModel

/// From the interface's words to the heart's; what is no name at all is answered like a name of nothing.
enum AdminParameters {
  static func library(_ name: String) throws(CallFailure) -> LibraryName {
    guard let library = LibraryName(name) else {
      throw .broker(.notFound("library", "No library of that name is yours; list the libraries to see their names."))
    }
    return library
  }

  static func library(_ name: String?) throws(CallFailure) -> LibraryName? {
    guard let name else { return nil }
    return try library(name)
  }

  static func app(_ text: String) throws(CallFailure) -> AppIdentifier {
    guard let app = AppIdentifier(text) else {
      throw .broker(.notFound("app", "No such app is known to you; list the apps to see their names."))
    }
    return app
  }

  static func app(_ text: String?) throws(CallFailure) -> AppIdentifier? {
    guard let text else { return nil }
    return try app(text)
  }

  static func level(_ name: String?) throws(CallFailure) -> AccessLevel? {
    guard let name else { return nil }
    return try LibraryMethods.level(name)
  }

  static func uid(_ number: Int64, _ field: String) throws(CallFailure) -> UInt32 {
    guard let uid = UInt32(exactly: number), uid != .max else { throw .invalid(field) }
    return uid
  }

  static func limit(_ number: Int64?) throws(CallFailure) -> Int {
    let limit = number ?? 100
    guard (1...1_000).contains(limit) else { throw .invalid("limit") }
    return Int(limit)
  }

  static func asset(_ text: String) throws(CallFailure) -> AssetIdentifier {
    guard let asset = AssetIdentifier(text) else {
      throw .broker(.notFound("asset", "No such asset in this library; list its assets to see their identifiers."))
    }
    return asset
  }
}
