/// The numbers of assets that changed while a worker computes from a snapshot. Empty when none does.
struct Journal: Sendable {
  private(set) var changed: [AssetNumber] = []
  private var readers = 0

  mutating func record(_ number: AssetNumber) { if readers > 0 { changed.append(number) } }

  /// Where a new snapshot's changes begin.
  mutating func open() -> Int {
    readers += 1
    return changed.count
  }

  mutating func close() {
    readers -= 1
    if readers == 0 { changed = [] }
  }
}
