import Glibc
import Testing
import UnixSocket

@testable import BrokerService

struct ReceivedDescriptorsTests {
  private func descriptors(_ count: Int) -> OwnedDescriptors {
    var made = OwnedDescriptors()
    for _ in 0..<count { made.append(FileDescriptor(owning: open("/dev/null", O_RDONLY | O_CLOEXEC))) }
    return made
  }

  /// The number of descriptors that each call finds, for the calls in order. The rest is dropped
  /// after its answer.
  private func found(_ came: [(count: Int, calls: ClosedRange<UInt64>)], takes: [Int]) -> [Int] {
    var held = ReceivedDescriptors()
    for (count, calls) in came { held.append(descriptors(count), beside: calls) }
    return takes.enumerated().map { index, wanted in
      let call = UInt64(index + 1)
      var taken = 0
      while taken < wanted, held.take(for: call) != nil { taken += 1 }
      _ = held.drop(upTo: call)
      return taken
    }
  }

  @Test func `R39 an untaken descriptor of a call reaches no later call`() {
    #expect(found([(1, 1...1), (1, 2...2)], takes: [0, 9]) == [0, 1])
    #expect(found([(1, 1...2), (1, 3...3)], takes: [0, 0, 9]) == [0, 0, 1])
    #expect(found([(2, 1...1)], takes: [1, 9]) == [1, 0])
    #expect(found([(3, 1...1), (1, 2...2)], takes: [0, 9, 9]) == [0, 1, 0])
  }

  @Test func `calls of one message share its descriptors in order`() {
    #expect(found([(3, 1...2)], takes: [1, 9]) == [1, 2])
    #expect(found([(1, 2...3)], takes: [9, 0, 9]) == [0, 0, 1])
  }

  @Test func `held descriptors are counted, and released when nobody can take them`() {
    var held = ReceivedDescriptors()
    held.append(descriptors(2), beside: 1...1)
    held.append(descriptors(1), beside: 2...4)
    #expect([0, 1, 3, 4].map { held.count(after: $0) } == [3, 1, 1, 0])
    var dropped = held.drop(upTo: 1)
    #expect(held.count(after: 0) == 1 && dropped.count == 2)
    dropped = held.drop(upTo: 3)
    #expect(held.count(after: 0) == 1 && dropped.isEmpty)
    dropped = held.drop(upTo: 4)
    #expect(held.count(after: 0) == 0 && dropped.count == 1)
    held.append(descriptors(4), beside: 5...5)
    dropped = held.takeAll()
    #expect(dropped.count == 4)
    #expect(held.count(after: 0) == 0 && held.take(for: 5) == nil)
  }
}
