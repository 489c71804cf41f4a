import Testing

@testable import BrokerService

/// The choice of a place if all are taken (R129).
@Suite struct FairShareTests {
  @Test func `everybody gets a free place while there is room`() {
    #expect(FairShare(held: [1: 2, 2: 1], limit: 4).place(for: 1) == .free)
    #expect(FairShare(held: [:], limit: 4).place(for: 1) == .free)
  }

  @Test func `the largest holder yields until both hold equally many`() {
    #expect(FairShare(held: [1: 3, 2: 1], limit: 4).place(for: 2) == .of([1]))
    #expect(FairShare(held: [1: 2, 2: 2], limit: 4).place(for: 2) == .none)
    #expect(
      FairShare(held: [1: 3, 2: 2], limit: 5).place(for: 2) == .none, "else both would take from each other for ever")
    #expect(FairShare(held: [1: 3, 2: 1], limit: 4).place(for: 1) == .none)
    #expect(FairShare(held: [1: 4], limit: 4).place(for: 1) == .none)
  }

  @Test func `as many users as places lock nobody out`() {
    let full = FairShare(held: [1: 1, 2: 1, 3: 1, 4: 1], limit: 4)
    #expect(full.place(for: 5) == .of([1, 2, 3, 4]))
    #expect(full.place(for: 1) == .none, "who has one asks for no second")
    #expect(FairShare(held: [1: 1, 2: 2, 3: 1], limit: 4).place(for: 5) == .of([2]), "first who has more")
  }

  @Test func `an exempt user takes nobody's place and yields none`() {
    #expect(FairShare(held: [0: 9, 1: 3], limit: 4).place(for: 2, exempt: 0) == .free)
    #expect(FairShare(held: [0: 9, 1: 2, 2: 2], limit: 4).place(for: 3, exempt: 0) == .of([1, 2]))
  }
}
