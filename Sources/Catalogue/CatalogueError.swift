/// An error of the catalogue, compared by code. It carries no name, date or identifier of an asset.
package struct CatalogueError: Error, Equatable, CustomStringConvertible {
  package enum Code: String, Sendable {
    case duplicateNumber, duplicateIdentifier, unknownNumber, limitExceeded, damagedSelection, damagedCopy,
      damagedCursor, foreignCursor
  }

  package let code: Code
  package let message: String
  package let cause: String?

  package var description: String { cause.map { "\(message): \($0)" } ?? message }
  package static func == (a: Self, b: Self) -> Bool { a.code == b.code }

  static func duplicateNumber() -> Self {
    Self(code: .duplicateNumber, message: "an asset number was given twice; take a new one from the store", cause: nil)
  }
  static func duplicateIdentifier() -> Self {
    Self(
      code: .duplicateIdentifier, message: "an asset identifier was given twice; update the asset that has it",
      cause: nil)
  }
  static func unknownNumber() -> Self {
    Self(code: .unknownNumber, message: "no asset has this number; insert it first", cause: nil)
  }
  static func limitExceeded() -> Self {
    Self(code: .limitExceeded, message: "the library holds as many assets as a catalogue can; split it", cause: nil)
  }
  static func damagedSelection(_ cause: String) -> Self {
    Self(
      code: .damagedSelection, message: "a stored selection cannot be read; restore it from a backup or select again",
      cause: cause)
  }
  static func damagedCopy(_ cause: String) -> Self {
    Self(
      code: .damagedCopy, message: "a kept copy of the catalogue cannot be used; it is made again from the rows",
      cause: cause)
  }
  static func damagedCursor() -> Self {
    Self(code: .damagedCursor, message: "the cursor cannot be read; start again at the first page", cause: nil)
  }
  static func foreignCursor() -> Self {
    Self(
      code: .foreignCursor, message: "the cursor belongs to another order; start again at the first page", cause: nil)
  }
}
