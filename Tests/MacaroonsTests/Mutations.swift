import TestSupport

extension SeededGenerator {
  /// Returns `bytes` with one to three changes.
  mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
    var changed = bytes
    for _ in 0...Int.random(in: 0..<3, using: &self) {
      let index = Int.random(in: 0..<max(changed.count, 1), using: &self)
      if changed.isEmpty { return changed }
      switch Int.random(in: 0..<5, using: &self) {
      case 0: changed[index] ^= 1 << UInt8.random(in: 0..<8, using: &self)
      case 1: changed.remove(at: index)
      case 2: changed.insert(UInt8.random(in: .min ... .max, using: &self), at: index)
      case 3: changed.swapAt(index, Int.random(in: 0..<changed.count, using: &self))
      default: changed.removeSubrange(index...)
      }
    }
    return changed
  }
}
