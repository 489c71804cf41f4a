import Broker
import Testing

@testable import BrokerService

@Suite struct ComingBytesTests {
  private let one = AppIdentifier(high: 1, low: 1)
  private let other = AppIdentifier(high: 1, low: 2)

  @Test func `what one app's requests hold is bounded over all of them, and counts no longer than they hold it`() {
    let coming = ComingBytes(limitPerApp: 10, limitPerUser: 100)
    var kept = [coming.take(6, of: one, user: 1), coming.take(4, of: one, user: 1)]
    #expect(!kept.contains { $0 == nil })
    #expect(coming.take(1, of: one, user: 1) == nil)
    #expect(coming.take(10, of: other, user: 1) != nil && coming.take(10, of: one, user: 2) != nil)
    kept.removeLast()
    #expect(coming.take(5, of: one, user: 1) == nil && coming.take(4, of: one, user: 1) != nil)
    kept = []
    #expect(coming.take(10, of: one, user: 1) != nil)
  }

  @Test func `a user's apps hold no more together than a user may, and leave others theirs`() {
    let coming = ComingBytes(limitPerApp: 10, limitPerUser: 15)
    let kept = coming.take(10, of: one, user: 1)
    #expect(coming.take(6, of: other, user: 1) == nil && coming.take(5, of: other, user: 1) != nil)
    #expect(coming.take(10, of: other, user: 2) != nil)
    withExtendedLifetime(kept) {}
  }
}
