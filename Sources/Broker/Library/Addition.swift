import PhotoModel

/// A file that is on its way into the storage for a change request that is not whole yet: no asset
/// is made of it but by that request.
///
/// It is noted durably before the storage is asked, so that a file of a request that ended with the
/// broker is known for what it is: by what the storage says that the file will be known by, by a
/// folder whose name nobody can have guessed, or by the place and the state that the storage told.
/// Any other file is the owner's, whatever its name and bytes are.
package struct Addition: Sendable, Equatable {
  package typealias Number = UInt64

  /// A file as the storage told it.
  package struct Place: Sendable, Equatable {
    package let locator: String
    package let contentVersion: String

    package init(locator: String, contentVersion: String) {
      self.locator = locator
      self.contentVersion = contentVersion
    }
  }

  package let number: Number
  /// Whose request it is.
  package let app: AppIdentifier
  /// The name of the folder that the storage is asked to put it into; all of one request have the same.
  package let folder: String
  /// Bytes.
  package let size: Int64
  /// SHA-256.
  package let digest: [UInt8]
  /// What the storage says that the file is known by, wherever it lies; nil: it says no such thing.
  package internal(set) var identity: String?
  /// Where the storage put it; nil: it has yet to say, or never said.
  package internal(set) var place: Place?

  /// Whether a file of this place and size, and of these bytes where they were read, may be the
  /// one. One of the owner's is none, unless it was put into the request's own folder.
  func mayBe(_ file: ResourceRecord) -> Bool {
    guard size == file.size, file.digest == nil || file.digest == digest else { return false }
    if let place { return ExactText(place.locator) == ExactText(file.locator) }
    if let identity { return file.identityHint.map { ExactText($0) == ExactText(identity) } ?? false }
    return file.locator.utf8.split(separator: UInt8(ascii: "/")).dropLast().contains { $0.elementsEqual(folder.utf8) }
  }

  // MARK: As it is kept

  /// A line with tabs between: number, app, folder, size, digest, place, state and identity; texts
  /// in hexadecimal, since a place may have any character.
  var text: String {
    let texts = [place?.locator, place?.contentVersion, identity].map { $0.map { Self.hexadecimal($0.utf8) } ?? "-" }
    return ([String(number), app.description, folder, String(size), Self.hexadecimal(digest)] + texts).joined(
      separator: "\t")
  }

  /// Nil for anything but ``text``. Brokers of before identities wrote none.
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "\t", omittingEmptySubsequences: false)
    guard parts.count == 7 || parts.count == 8, let number = Number(parts[0]),
      let app = AppIdentifier(String(parts[1])),
      parts[2].utf8.count == 16,
      UInt64(parts[2], radix: 16) != nil, let size = Int64(parts[3]), let digest = Self.bytes(parts[4])
    else { return nil }
    self.init(number: number, app: app, folder: String(parts[2]), size: size, digest: digest)
    if parts.count == 8, parts[7] != "-" {
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
    bytes(digits).flatMap { String(validating: $0, as: UTF8.self) }
  }

  static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    let digits = text.utf8.map { UInt8(truncatingIfNeeded: Character(UnicodeScalar($0)).hexDigitValue ?? 255) }
    guard digits.count % 2 == 0, !digits.contains(255) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}

/// The additions of one library.
package struct Additions {
  /// All of them, in the order in which they were noted.
  package internal(set) var all: [Addition] = []
  /// Those whose request goes on in this process.
  var running: Set<Addition.Number> = []
  /// Files that a look found and that may be one of them, each as the asset that it would be, by their places.
  var found: [ExactText: AssetRecord] = [:]
  /// Whether a look left a known asset as it was, since one of them seems to be its file.
  var hasPostponed = false
  /// Those that become assets with the commit that is on its way.
  var settling: [Addition] = []
  private var next: Addition.Number = 1

  init() {}

  /// From what was kept; a damaged line is passed over.
  init(_ text: String) {
    all = text.split(separator: "\n").compactMap { Addition($0) }
    next = (all.map(\.number).max() ?? 0) &+ 1
  }

  var text: String { all.map(\.text).joined(separator: "\n") }

  mutating func note(_ app: AppIdentifier, folder: String, size: Int64, digest: [UInt8]) -> Addition {
    defer { next &+= 1 }
    let addition = Addition(number: next, app: app, folder: folder, size: size, digest: digest)
    all.append(addition)
    running.insert(next)
    return addition
  }
}
