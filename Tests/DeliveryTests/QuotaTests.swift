import Testing

@testable import Delivery

@Suite struct QuotaTests {
  @Test func `R129 half of a quota is reserved for users without a share`() {
    var places = Quota<UInt32>(limit: 8, limitPerUser: 3)
    func take(_ user: UInt32) -> Bool { places.take(for: user) }
    #expect([take(1), take(1), take(1), take(1)] == [true, true, true, false], "no more than one may have")
    #expect([take(2), take(2)] == [true, false], "no more than half by those who have some")
    #expect([take(3), take(4), take(5), take(6), take(7)] == [true, true, true, true, false])
    places.giveBack(3, of: 1)
    #expect([take(7), take(2), take(1), take(8), take(9)] == [true, false, true, true, false])
    #expect(places.total == 8 && places.held[1] == 1)
  }

  @Test func `unconditionally counted items limit others only while held`() {
    var places = Quota<UInt32>(limit: 4, limitPerUser: 2)
    places.add(10, for: 1)
    #expect(!places.mayAdd(for: 1) && !places.mayAdd(for: 2))
    places.giveBack(10, of: 1)
    #expect(places.held.isEmpty && places.mayAdd(2, for: 1))
  }
}
