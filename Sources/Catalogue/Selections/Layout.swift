import Synchronization

/// Which asset lies in which slot, between two compactions. Selections hold the layout that their
/// positions mean.
///
/// When a catalogue is laid out anew the old layout is closed: it keeps the asset numbers of its
/// slots, so that a selection of any age is translated in one step, when it is next used. It is
/// gone with its last selection. Slots whose assets had gone by then mean nothing: one that came
/// back under its number lies in another slot, and is selected where that is.
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
