import Broker
import Testing

@testable import BrokerService

@Suite struct ComingBytesTests {
  private let one = AppIdentifier(high: 1, low: 1)
  private let other = AppIdentifier(high: 1, low: 2)

  /// Errors of one code are equal: what is refused is told by the words.
  private func refusal(_ body: () throws(BrokerError) -> ComingBytes.Share) -> String? {
    do throws(BrokerError) { _ = try body() } catch { return error.message }
    return nil
  }

  @Test func `what one app's requests hold is bounded over all of them, and counts no longer than they hold it`() throws {
    let coming = ComingBytes(.init(perApp: 10, perUser: 100, inAll: 1_000, assured: 0))
    var kept = [try coming.take(6, of: one, user: 1), try coming.take(4, of: one, user: 1)]
    #expect(refusal { () throws(BrokerError) in try coming.take(1, of: one, user: 1) } == BrokerError.comingTooMuch.message)
    _ = try coming.take(10, of: other, user: 1)
    _ = try coming.take(10, of: one, user: 2)
    kept.removeLast()
    #expect(refusal { () throws(BrokerError) in try coming.take(5, of: one, user: 1) } == BrokerError.comingTooMuch.message)
    _ = try coming.take(4, of: one, user: 1)
    kept = []
    _ = try coming.take(10, of: one, user: 1)
  }

  @Test func `a user's apps hold no more together than a user may, and leave others theirs`() throws {
    let coming = ComingBytes(.init(perApp: 10, perUser: 15, inAll: 1_000, assured: 0))
    let kept = try coming.take(10, of: one, user: 1)
    #expect(refusal { () throws(BrokerError) in try coming.take(6, of: other, user: 1) } == BrokerError.comingTooMuch.message)
    _ = try coming.take(5, of: other, user: 1)
    _ = try coming.take(10, of: other, user: 2)
    withExtendedLifetime(kept) {}
  }

  @Test func `R129 all users' hold no more than there is, and nobody is refused a little for what others hold`() throws {
    let coming = ComingBytes(.init(perApp: 10, perUser: 10, inAll: 15, assured: 3))
    let kept = try coming.take(10, of: one, user: 1)
    #expect(refusal { () throws(BrokerError) in try coming.take(6, of: one, user: 2) } == BrokerError.allComingTooMuch.message)
    let more = try coming.take(5, of: one, user: 2)
    #expect(refusal { () throws(BrokerError) in try coming.take(1, of: one, user: 2) } == BrokerError.allComingTooMuch.message)
    let few = try coming.take(3, of: one, user: 3)
    #expect(refusal { () throws(BrokerError) in try coming.take(1, of: other, user: 3) } == BrokerError.allComingTooMuch.message)
    withExtendedLifetime((kept, more, few)) {}
  }
}
