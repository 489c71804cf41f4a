package import PhotoModel

/// A file that is on its way into the storage for a change request that is not whole yet: no asset is made of it but by that request.
///
/// It is noted durably before the storage is asked, so that a file of a request that ended with the broker is known for what it is.
package struct Addition: Sendable, Equatable {
  package typealias Number = UInt64

  package let number: Number
  package let filename: String
  /// Bytes.
  package let size: Int64
  /// SHA-256.
  package let digest: [UInt8]
  /// Where the storage put it; nil: it has yet to say, or never said.
  package internal(set) var locator: String?

  /// Whether a file may be the one: by its place where that is known, else by its bytes where these were read, else by its name and size.
  func mayBe(_ file: ResourceRecord) -> Bool {
    guard size == file.size else { return false }
    if let locator { return ExactText(locator) == ExactText(file.locator) }
    return file.digest.map { $0 == digest } ?? (ExactText(filename) == ExactText(file.filename))
  }

  // MARK: As it is kept

  /// A line with tabs between: number, size, digest, name and place; texts in hexadecimal, since a name may have any character.
  var text: String {
    let place = locator.map { Self.hexadecimal($0.utf8) } ?? "-"
    return [String(number), String(size), Self.hexadecimal(digest), Self.hexadecimal(filename.utf8), place].joined(separator: "\t")
  }

  /// Nil for anything but ``text``.
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "\t", omittingEmptySubsequences: false)
    guard parts.count == 5, let number = Number(parts[0]), let size = Int64(parts[1]), let digest = Self.bytes(parts[2]),
      let filename = Self.bytes(parts[3]).flatMap({ String(validating: $0, as: UTF8.self) })
    else { return nil }
    self.init(number: number, filename: filename, size: size, digest: digest)
    guard parts[4] != "-" else { return }
    guard let locator = Self.bytes(parts[4]).flatMap({ String(validating: $0, as: UTF8.self) }) else { return nil }
    self.locator = locator
  }

  init(number: Number, filename: String, size: Int64, digest: [UInt8]) {
    self.number = number
    self.filename = filename
    self.size = size
    self.digest = digest
  }

  private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  private static func bytes(_ text: some StringProtocol) -> [UInt8]? {
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
  /// Files that a look found and that may be one of them, by their places.
  package internal(set) var found: [ExactText: ResourceRecord] = [:]
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

  mutating func note(_ filename: String, size: Int64, digest: [UInt8]) -> Addition {
    defer { next &+= 1 }
    let addition = Addition(number: next, filename: filename, size: size, digest: digest)
    all.append(addition)
    running.insert(next)
    return addition
  }
}
