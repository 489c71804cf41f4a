import Broker
import BrokerInterface
import Catalogue
import PhotoModel

/// Converts the interface's parameters to the core's types. A malformed name gets the same answer
/// as an unknown one.
enum AdminParameters {
  static func library(_ name: String) throws(CallFailure) -> LibraryName {
    guard let library = LibraryName(name) else { throw noLibrary() }
    return library
  }

  /// A library that does not exist and another owner's get the same answer.
  static func noLibrary() -> CallFailure {
    .broker(.notFound("library", "No library of that name is yours; list the libraries to see their names."))
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

  static func uids(_ numbers: [Int64]) -> Set<UInt32> { Set(numbers.map { UInt32(clamping: $0) }) }

  /// Settings of a grant. An end of 0 means never.
  static func settings(status: String?, expires: Int64?, albumPolicy: String?) throws(CallFailure) -> GrantSettings {
    var settings = GrantSettings()
    if let name = status {
      guard let status = AuthorizationStatus(name: name) else { throw .invalid("status") }
      settings.status = status
    }
    if let expires { settings.end = expires == 0 ? .never : .at(Timestamp(microseconds: expires)) }
    if let albumPolicy {
      guard (1...64).contains(albumPolicy.utf8.count) else { throw .invalid("albumPolicy") }
      settings.albumPolicy = albumPolicy
    }
    return settings
  }

  static func asset(_ text: String) throws(CallFailure) -> AssetIdentifier {
    guard let asset = AssetIdentifier(text) else {
      throw .broker(.notFound("asset", "No such asset in this library; list its assets to see their identifiers."))
    }
    return asset
  }

  static func album(_ text: String) throws(CallFailure) -> AlbumIdentifier {
    guard let album = AlbumIdentifier(text) else { throw AdminMethods.noAlbum() }
    return album
  }

  static func cursor(_ text: String?) throws(CallFailure) -> Int64? {
    guard let text else { return nil }
    guard let number = Int64(text), number > 0 else { throw .invalid("cursor") }
    return number
  }
}
