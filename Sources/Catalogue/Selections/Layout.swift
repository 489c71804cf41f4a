import Synchronization

/// Which asset lies in which slot, between two compactions. Selections hold the layout that their positions mean.
///
/// When a catalogue is laid out anew the old layout is closed: it keeps the asset numbers of its slots, so that a
/// selection of any age is translated in one step, when it is next used. It is gone with its last selection.
final class Layout: Sendable {
  /// The same object in all layouts of one library's catalogue.
  let lineage: Lineage
  private let closed = Mutex<PackedColumn?>(nil)

  init(lineage: Lineage) { self.lineage = lineage }

  /// Nil while the layout is in use.
  var numbers: PackedColumn? { closed.withLock { $0 } }

  func close(_ numbers: PackedColumn) { closed.withLock { $0 = numbers } }

  final class Lineage: Sendable {}
}
