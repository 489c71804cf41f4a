/// A library's name: 1 to 64 of `a-z`, `0-9` and hyphen, starting with a letter. Compared byte for
/// byte.
package struct LibraryName: Hashable, Sendable, Comparable, CustomStringConvertible {
  package let description: String

  /// Nil unless the text is a valid name.
  package init?(_ text: String) {
    let bytes = text.utf8
    guard let first = bytes.first, bytes.count <= 64, (0x61...0x7a).contains(first) else { return nil }
    guard bytes.allSatisfy({ (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d }) else {
      return nil
    }
    description = text
  }

  package static func < (a: Self, b: Self) -> Bool { a.description < b.description }
}
