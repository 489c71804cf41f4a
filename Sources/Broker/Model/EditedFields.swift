/// The fields of an asset that were edited through the broker. They win over the file's values, and
/// survive a rescan.
package struct EditedFields: OptionSet, Hashable, Sendable {
  package var rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let creationDate = EditedFields(rawValue: 1 << 0)
  package static let location = EditedFields(rawValue: 1 << 1)
  package static let favourite = EditedFields(rawValue: 1 << 2)
  package static let caption = EditedFields(rawValue: 1 << 3)
  package static let all: EditedFields = [.creationDate, .location, .favourite, .caption]
}
