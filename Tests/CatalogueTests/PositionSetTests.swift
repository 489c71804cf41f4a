import TestSupport
import Testing

@testable import Catalogue

struct PositionSetTests {
  @Test func `A set behaves like a set while its chunks change form`() {
    var random = SeededGenerator(1)
    for range in [UInt32(0)...200, 0...9_000, 60_000...70_000, 0...300_000] {
      var (set, model) = (PositionSet(), Set<UInt32>())
      for step in 0..<12_000 {
        let number = UInt32.random(in: range, using: &random)
        // Grows first and shrinks later, through arrays, bits and back.
        if Int.random(in: 0..<12_000, using: &random) > step {
          let isNew = set.insert(number)
          #expect(isNew == !model.contains(number))
          model.insert(number)
        } else {
          let wasThere = set.remove(number)
          #expect(wasThere == model.contains(number))
          model.remove(number)
        }
        if step % 3_000 == 0 { #expect(set == PositionSet(model)) }
      }
      #expect(set.count == model.count)
      var numbers: [UInt32] = []
      set.forEach { numbers.append($0) }
      #expect(numbers == model.sorted())
    }
  }

  @Test func `Union, intersection and difference agree with Swift's Set in every pair of forms`() {
    var random = SeededGenerator(2)
    let forms: [Set<UInt32>] = [
      [], [7], Set(0..<65_536), Set(0..<65_535), Set((0..<1_024).map { $0 * 3 }), Set((0..<1_025).map { $0 * 3 }),
      Set((0..<9_000).map { _ in UInt32.random(in: 0..<131_072, using: &random) }),
      Set((0..<50).map { _ in UInt32.random(in: 60_000..<200_000, using: &random) }),
    ]
    let sets = forms.map(PositionSet.init)
    for (a, setA) in zip(forms, sets) {
      for (b, setB) in zip(forms, sets) {
        #expect(setA.union(setB) == PositionSet(a.union(b)))
        #expect(setA.intersection(setB) == PositionSet(a.intersection(b)))
        #expect(setA.subtracting(setB) == PositionSet(a.subtracting(b)))
        for range in [UInt32(0)..<200_000, 5..<65_536, 65_530..<65_545, 100..<100] {
          var sieve = BitSieve()
          sieve.require(setA)
          sieve.exclude(setB)
          let expected = a.subtracting(b).filter(range.contains).sorted()
          #expect(sieve.count(in: range) == expected.count)
          for ascending in [true, false] {
            var walked: [UInt32] = []
            sieve.walk(range, ascending: ascending) {
              walked.append($0)
              return walked.count < 300
            }
            #expect(walked == Array((ascending ? expected : expected.reversed()).prefix(300)))
            let dropped = sieve.dropping(777, from: range, ascending: ascending)
            #expect(dropped.left == max(0, 777 - expected.count))
            #expect(sieve.count(in: dropped.range) == max(0, expected.count - 777))
          }
        }
      }
    }
  }

  @Test func `A copy is independent of the original`() {
    for members in [Set<UInt32>(0..<100), Set(0..<10_000), Set(0..<65_536)] {
      var set = PositionSet(members)
      let copy = set
      set.remove(5)
      set.insert(70_000)
      #expect(copy == PositionSet(members))
      #expect(!set.contains(5) && set.contains(70_000))
    }
  }
}
