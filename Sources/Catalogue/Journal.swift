/// The numbers of assets that changed during a worker's use of a snapshot; empty if there is none.
struct Journal: Sendable {
  private(set) var changed: [AssetNumber] = []
  private var readers = 0

  mutating func record(_ number: AssetNumber) { if readers > 0 { changed.append(number) } }

  /// Begins a snapshot, and returns the start of its changes.
  mutating func open() -> Int {
    readers += 1
    return changed.count
  }

  mutating func close() {
    readers -= 1
    if readers == 0 { changed = [] }
  }
}
