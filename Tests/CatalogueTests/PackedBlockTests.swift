import TestSupport
import Testing

@testable import Catalogue

struct PackedBlockTests {
  static let patterns: [[Int64]] = {
    var random = SeededGenerator(3)
    func values(_ make: (inout SeededGenerator) -> Int64) -> [Int64] { (0..<1_024).map { _ in make(&random) } }
    return [
      [], [5], [.min, .max, 0, -1], values { _ in 0 }, values { _ in -7 },
      values { Int64.random(in: .min ... .max, using: &$0) },
      values { Int64.random(in: 0...1_000_000, using: &$0) * 1_000_000 - 500_000_000 },
      values { Int64.random(in: 0...9_000, using: &$0) * 1_000 },
      values { Int64.random(in: 0...9, using: &$0) == 0 ? Int64.random(in: 1...90_000, using: &$0) : 0 },
      values { [4_032, 3_024, 1_920, 1_080].randomElement(using: &$0) ?? 0 },
      values { Int64.random(in: -3...(1 << 57), using: &$0) },
    ]
  }()

  @Test(arguments: patterns) func `A block returns its values and a replaced one`(values: [Int64]) {
    var block = PackedBlock(values)
    #expect(block.values() == values)
    var model = values
    var random = SeededGenerator(4)
    guard !values.isEmpty else { return }
    for step in 0..<200 {
      let row = Int.random(in: values.indices, using: &random)
      let value =
        step % 3 == 0 ? Int64.random(in: .min ... .max, using: &random) : values.randomElement(using: &random) ?? 0
      let old = block
      block = block.setting(row, to: value)
      #expect(old[row] == model[row], "a snapshot keeps its block")
      model[row] = value
      #expect(block[row] == value)
    }
    #expect(block.values() == model)
  }
}
