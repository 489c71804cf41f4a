import Broker
import BrokerInterface
import Catalogue
import PhotoModel

/// From the interface's words to the heart's; what is no name at all is answered like a name of nothing.
enum AdminParameters {
  static func library(_ name: String) throws(CallFailure) -> LibraryName {
    guard let library = LibraryName(name) else { throw noLibrary() }
    return library
  }

  /// The one answer for a library that is not there and for one that is another owner's.
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

  /// What is to be set of a grant; an end of 0 is never.
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

  /// Where the page before ended.
  static func cursor(_ text: String?) throws(CallFailure) -> Int64? {
    guard let text else { return nil }
    guard let number = Int64(text), number > 0 else { throw .invalid("cursor") }
    return number
  }
}
