/// The facts that are erased from a file's bytes, because its owner withholds them.
package struct ErasedFacts: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Places, and dates and times of satellites.
  package static let location = ErasedFacts(rawValue: 1)
  /// Titles, captions, keywords, comments, and names of persons.
  package static let captions = ErasedFacts(rawValue: 2)

  private static let names: [(name: String, value: ErasedFacts)] = [("location", .location), ("captions", .captions)]

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
