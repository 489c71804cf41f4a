/// The facts that an owner withholds from an app.
package struct Withheld: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Places, and dates and times of satellites.
  package static let location = Withheld(rawValue: 1)
  /// Titles, captions, keywords, comments, and names of persons.
  package static let captions = Withheld(rawValue: 2)

  private static let names: [(name: String, value: Withheld)] = [("location", .location), ("captions", .captions)]

  /// The words of a request, such as `location,captions`.
  package var text: String { Self.names.filter { contains($0.value) }.map(\.name).joined(separator: ",") }

  /// Reads the words of a request; nil for an unknown word or none.
  package init?(text: some StringProtocol) {
    self = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let known = Self.names.first(where: { $0.name == word }) else { return nil }
      insert(known.value)
    }
  }
}
