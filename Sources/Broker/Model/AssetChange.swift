package import Catalogue

/// Assets that one decision added to a set and removed from it, by number, as `Catalogue` encodes
/// them.
package struct AssetChange: Sendable, Equatable {
  /// The mark that the set's assets have. Empty: a grant's selection or an album's members.
  package var mark: AssetFlags
  package var added: [SelectionChunk]
  package var removed: [SelectionChunk]
  /// The former indices of an album's removed members, in the order of their numbers.
  package var places: [Int]

  package init(
    mark: AssetFlags = [], added: [SelectionChunk] = [], removed: [SelectionChunk] = [], places: [Int] = []
  ) {
    self.mark = mark
    self.added = added
    self.removed = removed
    self.places = places
  }

  var isEmpty: Bool { added.isEmpty && removed.isEmpty }

  func overlaps(_ other: Self) -> Bool {
    mark == other.mark
      && [added, removed].contains { mine in mine.overlaps(other.added) || mine.overlaps(other.removed) }
  }

  /// - Throws: `failed` if the stored change is damaged.
  func numbers() throws(BrokerError) -> (added: AssetNumbers, removed: AssetNumbers) {
    do { return (try AssetNumbers(decoding: added), try AssetNumbers(decoding: removed)) } catch {
      throw .decisionDamaged()
    }
  }
}
