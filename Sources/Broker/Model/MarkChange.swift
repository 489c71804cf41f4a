package import Catalogue

/// Assets whose marks one decision changed, as far as marks say what apps may see; by number, as `Catalogue` encodes them.
package struct MarkChange: Sendable, Equatable {
  package var hidden: [SelectionChunk] = []
  package var shown: [SelectionChunk] = []
  package var neverShared: [SelectionChunk] = []
  package var shareable: [SelectionChunk] = []

  package init() {}

  package var isEmpty: Bool { hidden.isEmpty && shown.isEmpty && neverShared.isEmpty && shareable.isEmpty }
}
