package import Catalogue

/// Assets whose marks one decision changed, by number, as `Catalogue` encodes them.
package struct MarkChange: Sendable, Equatable {
  package var hidden: [SelectionChunk] = []
  package var shown: [SelectionChunk] = []
  package var neverShared: [SelectionChunk] = []
  package var shareable: [SelectionChunk] = []
  package var favourites: [SelectionChunk] = []
  /// No favourites any more.
  package var others: [SelectionChunk] = []

  package init() {}

  package var isEmpty: Bool {
    [hidden, shown, neverShared, shareable, favourites, others].allSatisfy(\.isEmpty)
  }
}
