import Limits
import Testing
import UnixSocket

@testable import BrokerService

@Suite struct DescriptorsInFlightTests {
  @Test func `exceeding a user's limit in flight is refused for that user`() {
    var counts = DescriptorsInFlight(limit: 10_000)
    counts.add(ServiceLimits.descriptorsInFlightPerUser, of: 1)
    let mine = counts.mayAdd(1, of: 1)
    let others = counts.mayAdd(ServiceLimits.descriptorsInFlightPerUser, of: 2)
    counts.add(-1, of: 1)
    let again = counts.mayAdd(1, of: 1)
    #expect([mine, others, again] == [false, true, true])
  }

  @Test func `exceeding the kernel's limit is refused for everybody`() {
    var counts = DescriptorsInFlight(limit: 10)
    counts.add(6, of: 1)
    counts.add(4, of: 2)
    let over = counts.mayAdd(1, of: 3)
    counts.add(-4, of: 2)
    let again = counts.mayAdd(4, of: 3)
    #expect([over, again] == [false, true])
  }

  @Test func `R129 users who take no descriptors leave room for one of another user, whose next one waits`() {
    let most = ServiceLimits.descriptorsInFlightPerUser
    var counts = DescriptorsInFlight(limit: 8 * most)
    for user in 1...4 as ClosedRange<UInt32> { counts.add(most, of: user) }
    let victim = counts.mayAdd(1, of: 9)
    counts.add(1, of: 9)
    let (more, isOthers) = (counts.mayAdd(1, of: 9), counts.isWithinShare(1, of: 9))
    let isOwn = !counts.isWithinShare(1, of: 1)
    counts.add(-1, of: 9)
    let again = counts.mayAdd(1, of: 9)
    #expect([victim, more, isOthers, isOwn, again] == [true, false, true, true, true])
  }

  @Test func `an outbox is full at its limit of descriptors and not after one has left`() throws {
    var outbox = Outbox()
    for _ in 0..<ServiceLimits.queuedDescriptors {
      #expect(!outbox.isFull)
      outbox.append(.init(bytes: [1, 2], descriptors: SharedDescriptors(OwnedDescriptors()), permit: nil))
    }
    #expect(outbox.isFull)
    outbox.took(1)
    #expect(!outbox.isFull)
  }
}
