import Synchronization

/// The assignment of assets to slots between two compactions. Selections hold the layout of their
/// positions.
///
/// A compaction closes the old layout, which keeps the asset numbers of its slots. So a selection
/// of any age is translated in one step at its next use. A layout is freed with its last selection.
/// Slots whose assets were removed before have no meaning: an asset that returned under its number
/// lies in another slot.
final class Layout: Sendable {
  /// The same object in all layouts of one library's catalogue.
  let lineage: Lineage
  private let closed = Mutex<Closed?>(nil)

  private struct Closed {
    let numbers: PackedColumn
    let living: PositionSet
  }

  init(lineage: Lineage) { self.lineage = lineage }

  /// The asset numbers in these slots; nil while the layout is in use.
  func numbers(at slots: PositionSet) -> [Int64]? {
    guard let closed = closed.withLock({ $0 }) else { return nil }
    return closed.numbers.values(slots.intersection(closed.living).members[...])
  }

  func close(_ numbers: PackedColumn, living: PositionSet) {
    closed.withLock { $0 = Closed(numbers: numbers, living: living) }
  }

  final class Lineage: Sendable {}
}
