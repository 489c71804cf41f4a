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

  /// A library of the caller's, by a check of the session.
  static func library(
    _ name: String, _ find: (LibraryName) throws(BrokerError) -> LibraryState
  ) throws(CallFailure) -> LibraryState {
    let name = try library(name)
    return try decide(find(name))
  }

  /// A library that does not exist and another owner's get the same answer.
  static func noLibrary() -> CallFailure {
    .notFound("library", "No library of that name is yours; list the libraries to see their names.")
  }

  static func library(_ name: String?) throws(CallFailure) -> LibraryName? {
    guard let name else { return nil }
    return try library(name)
  }

  static func app(_ text: String) throws(CallFailure) -> AppIdentifier {
    guard let app = AppIdentifier(text) else {
      throw .notFound("app", "No such app is known to you; list the apps to see their names.")
    }
    return app
  }

  static func app(_ text: String?) throws(CallFailure) -> AppIdentifier? {
    guard let text else { return nil }
    return try app(text)
  }

  /// Apps by name and by the identifier that they claim; nil: all apps.
  static func apps(
    _ text: String?, claiming claimed: String?, in broker: Broker
  ) throws(CallFailure) -> Set<AppIdentifier>? {
    let named = try app(text).map { Set([$0]) }
    guard let claimed else { return named }
    let claiming = broker.apps(claiming: claimed)
    return named.map { $0.intersection(claiming) } ?? claiming
  }

  /// - Parameter subject: The library or request that the draft is for.
  static func draft(_ text: String?, of subject: String) throws(CallFailure) -> AppIdentifier? {
    guard let text else { return nil }
    if let draft = AppIdentifier(text) { return draft }
    let method = subject == "request" ? "DraftAnswer" : "DraftSelection"
    throw .notFound("draft", "There is no such draft for this \(subject); begin one with \(method).")
  }

  static func level(_ name: String?) throws(CallFailure) -> AccessLevel? {
    guard let name else { return nil }
    return try LibraryMethods.level(name)
  }

  static func uids(_ numbers: [Int64]) -> Set<UInt32> { Set(numbers.map { UInt32(clamping: $0) }) }

  static func terms(_ terms: Admin.Terms?) throws(CallFailure) -> GrantTerms.Choice {
    if terms?.pixels != nil, terms?.files != false {
      throw .refused("A size of pictures is for an app without files; withhold files, or leave pixels out.")
    }
    let deletions = try CallFailure.named(terms?.deletions, in: "terms.deletions", by: \GrantTerms.Deletions.name)
    return GrantTerms.Choice(
      location: terms?.location, captions: terms?.captions, files: terms?.files,
      pixels: terms?.pixels.map { Int(clamping: $0) }, changes: terms?.changes, deletions: deletions,
      allowance: terms?.allowance ?? Allowance())
  }

  /// The end of a grant. 0 means never.
  static func end(_ expires: Int64?, once: Bool? = nil) throws(CallFailure) -> GrantSettings.End? {
    guard once == true else { return expires.map { $0 == 0 ? .never : .at(Timestamp(microseconds: $0)) } }
    guard expires == nil else { throw .invalid("once", "an end by once takes no expires; leave one of them out") }
    return .once
  }

  /// Settings of a grant.
  static func settings(
    status: String?, expires: Int64?, albumPolicy: String?, terms: Admin.Terms? = nil
  ) throws(CallFailure) -> GrantSettings {
    var settings = GrantSettings()
    settings.terms = try self.terms(terms)
    settings.status = try CallFailure.named(status, in: "status", by: \AuthorizationStatus.name)
    settings.end = try end(expires)
    if let albumPolicy {
      guard (1...64).contains(albumPolicy.utf8.count) else {
        throw .invalid("albumPolicy", "a policy's name has 1 to 64 bytes, such as none, own, shared-read or full")
      }
      settings.albumPolicy = albumPolicy
    }
    return settings
  }

  static func asset(_ text: String) throws(CallFailure) -> AssetIdentifier {
    guard let asset = AssetIdentifier(text) else { throw noAsset() }
    return asset
  }

  static func noAsset() -> CallFailure {
    .notFound("asset", "No such asset in this library; list its assets to see their identifiers.")
  }

  static func row(of text: String, in library: LibraryState) throws(CallFailure) -> AssetRow? {
    library.catalogue.position(of: try asset(text)).map { library.catalogue.row($0) }
  }

  static func album(_ text: String) throws(CallFailure) -> AlbumIdentifier {
    guard let album = AlbumIdentifier(text) else { throw noAlbum() }
    return album
  }

  /// An album that does not exist and one that the app does not see get the same answer.
  static func noAlbum() -> CallFailure {
    .notFound("album", "No such album in this library; list its albums.")
  }

  static func cursor(_ text: String?) throws(CallFailure) -> Int64? {
    guard let text else { return nil }
    guard let number = Int64(text), number > 0 else { throw .broker(.invalidCursor("of this list")) }
    return number
  }
}

extension Admin.Terms {
  init(_ terms: GrantTerms, allowance: Allowance) {
    self.init(
      location: terms.location, captions: terms.captions, files: terms.files,
      pixels: terms.files ? nil : Int64(terms.pixels), changes: terms.changes, deletions: terms.deletions.name,
      allowance: allowance)
  }

  init(
    location: Bool?, captions: Bool?, files: Bool?, pixels: Int64?, changes: Bool?, deletions: String?,
    allowance: Allowance
  ) {
    self.init(
      location: location, captions: captions, files: files, pixels: pixels, changes: changes, deletions: deletions,
      photosPerDay: allowance[.photosPerDay], photosPerHour: allowance[.photosPerHour],
      bytesPerDay: allowance[.bytesPerDay], bytesPerHour: allowance[.bytesPerHour])
  }

  fileprivate var allowance: Allowance {
    var allowance = Allowance()
    allowance[.photosPerDay] = photosPerDay
    allowance[.photosPerHour] = photosPerHour
    allowance[.bytesPerDay] = bytesPerDay
    allowance[.bytesPerHour] = bytesPerHour
    return allowance
  }

  /// The terms of a pick, which changes nothing.
  init(ofPick terms: GrantTerms) {
    self.init(
      location: terms.location ?? false, captions: terms.captions, files: terms.files,
      pixels: terms.files ? nil : Int64(terms.pixels))
  }
}
