import PhotoModel

/// A file that an unfinished change request adds to the storage. Only that request makes an asset
/// of it.
///
/// It is recorded durably before the storage is called, so that after a crash the broker can tell
/// it from the owner's files. It is recognized by the identity that the storage announced, by its
/// folder with an unguessable name, or by the reported place. Name and bytes prove nothing.
package struct Addition: Sendable, Equatable {
  package typealias Number = UInt64

  /// A file's place as the storage reported it.
  package struct Place: Sendable, Equatable {
    package let locator: String
    package let contentVersion: String

    package init(locator: String, contentVersion: String) {
      self.locator = locator
      self.contentVersion = contentVersion
    }
  }

  package let number: Number
  /// The app that made the request.
  package let app: AppIdentifier
  /// The name of the folder that the storage is asked to use, one for each request.
  package let folder: String
  /// Bytes.
  package let size: Int64
  /// SHA-256.
  package let digest: [UInt8]
  /// The storage's identity for the file, which stays the same when it moves; nil: none.
  package internal(set) var identity: String?
  /// The file's place; nil: not reported yet.
  package internal(set) var place: Place?

  /// Whether a file may be this addition. Size and any known digest must match, and the reported
  /// place. Without a place, the announced identity decides; without both, the request's own
  /// folder.
  func mayBe(_ file: ResourceRecord) -> Bool {
    guard size == file.size, file.digest == nil || file.digest == digest else { return false }
    if let place { return ExactText(place.locator) == ExactText(file.locator) }
    if let identity { return file.identityHint.map { ExactText($0) == ExactText(identity) } ?? false }
    return file.locator.utf8.split(separator: UInt8(ascii: "/")).dropLast().contains { $0.elementsEqual(folder.utf8) }
  }

  // MARK: Stored form

  /// One line with tab-separated fields: number, app, folder, size, digest, place, state and
  /// identity. Texts are hexadecimal, because a place may contain any character.
  var text: String {
    let texts = [place?.locator, place?.contentVersion, identity].map { $0.map { Hex.text(Array($0.utf8)) } ?? "-" }
    return ([String(number), app.description, folder, String(size), Hex.text(digest)] + texts).joined(
      separator: "\t")
  }

  /// Nil for anything but ``text``.
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "\t", omittingEmptySubsequences: false)
    guard parts.count == 8, let number = Number(parts[0]),
      let app = AppIdentifier(String(parts[1])),
      Hex.number(parts[2]) as UInt64? != nil, let size = Int64(parts[3]), let digest = Hex.bytes(parts[4])
    else { return nil }
    self.init(number: number, app: app, folder: String(parts[2]), size: size, digest: digest)
    if parts[7] != "-" {
      guard let identity = Self.text(parts[7]) else { return nil }
      self.identity = identity
    }
    guard parts[5] != "-" else { return }
    guard let locator = Self.text(parts[5]), let contentVersion = Self.text(parts[6]) else { return nil }
    place = Place(locator: locator, contentVersion: contentVersion)
  }

  init(number: Number, app: AppIdentifier, folder: String, size: Int64, digest: [UInt8]) {
    self.number = number
    self.app = app
    self.folder = folder
    self.size = size
    self.digest = digest
  }

  static func text(_ digits: some StringProtocol) -> String? {
    Hex.bytes(digits).flatMap { String(validating: $0, as: UTF8.self) }
  }
}
