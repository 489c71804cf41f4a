import Broker
import Catalogue

/// Files that left assets as they were kept before they had a table of their own: as lines of one
/// setting of their library.
enum PartedLine {
  /// Takes them over, within the transaction that makes the table.
  static func migrate(_ connection: Connection) throws(SQLiteError) {
    for (library, files) in try read(connection) {
      for file in files { try connection.put(file, in: library) }
    }
    try connection.run("DELETE FROM settings WHERE name GLOB ?", .text(SettingName.parted + "*"))
  }

  /// Those of every library, by its number.
  static func read(_ connection: Connection) throws(SQLiteError) -> [(library: Int64, files: [PartedFile])] {
    var found: [(library: Int64, files: [PartedFile])] = []
    let settings = try connection.statement(
      "SELECT libraries.id, value FROM settings JOIN libraries ON settings.name = ? || libraries.name")
    defer { settings.reset() }
    try settings.bind(.text(SettingName.parted), at: 1)
    while try settings.step() {
      let lines = settings.text(1).split(separator: "\n")
      found.append((settings.integer(0), lines.enumerated().compactMap { file($0.element, number: Int64($0.offset)) }))
    }
    return found
  }

  /// Asset, marks, size, name, hint, hash and digests with tabs between; but for numbers in
  /// hexadecimal, and `-` for none. Nil for anything else.
  private static func file(_ line: Substring, number: Int64) -> PartedFile? {
    let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
    guard parts.count == 8, let asset = UInt32(parts[0]), let marks = UInt8(parts[1]), let size = Int64(parts[2]),
      let name = text(parts[3])
    else { return nil }
    return PartedFile(
      number: number, asset: AssetNumber(asset), marks: AssetFlags(rawValue: marks), place: nil, filename: name,
      size: size,
      hint: text(parts[4]), hash: text(parts[5]), digest: bytes(parts[6]), endsDigest: bytes(parts[7]), isMissing: true,
      placeEnds: nil)
  }

  private static func text(_ digits: Substring) -> String? {
    bytes(digits).flatMap { String(validating: $0, as: UTF8.self) }
  }

  private static func bytes(_ digits: Substring) -> [UInt8]? {
    let digits = digits.utf8.map { UInt8(truncatingIfNeeded: Character(UnicodeScalar($0)).hexDigitValue ?? 255) }
    guard !digits.isEmpty, digits.count % 2 == 0, !digits.contains(255) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
