import Delivery
import Glibc
import Testing
import UnixSocket

@testable import BrokerService

@Suite struct HandedCopiesTests {
  private func copy(_ count: Int = 100) throws -> SealedCopy {
    let bytes = [UInt8](repeating: 7, count: count)
    return try bytes.withUnsafeBytes { try SealedCopy.of($0) }
  }

  @Test func `one copy beyond the limit is refused, and granted after another is released`() throws {
    let handed = HandedCopies(limit: 8 << 20, limitPerUser: 3 << 20)
    var kept = [try copy(), try copy(), try copy()]
    for one in kept {
      let isHanded = handed.hand(one, to: 1)
      #expect(isHanded)
    }
    let another = try copy()
    let over = handed.hand(another, to: 1)
    let others = handed.hand(another, to: 2)
    #expect(!over && others, "each user has their own")
    kept.removeLast()
    let again = handed.hand(another, to: 1)
    #expect(again)
    withExtendedLifetime(kept) {}
  }

  @Test func `R129 a user without copies is given one, however many users hold copies`() throws {
    let handed = HandedCopies(limit: 4 << 20, limitPerUser: 3 << 20)
    var kept = [try copy(), try copy()]
    let first = kept.map { handed.hand($0, to: 1) }
    let another = try copy()
    let more = handed.hand(another, to: 1)
    let others = (UInt32(2)...4).map { handed.hand(another, to: $0) }
    #expect(first == [true, true] && !more && others == [true, true, false], "half of it is for those who have none")
    kept.removeAll()
    let later = try (UInt32(5)...6).map { user in
      usleep(210_000)
      return handed.hand(try copy(), to: user)
    }
    #expect(later == [true, true], "what was let go of counts no more")
    withExtendedLifetime(another) {}
  }

  @Test func `a copy opened twice counts once`() throws {
    let handed = HandedCopies(limitPerUser: 1 << 20)
    let one = try copy()
    let results = (0..<5).map { _ in handed.hand(one, to: 1) }
    #expect(results == [true, true, true, true, true])
  }

  @Test func `a client's descriptor keeps a copy that the broker has forgotten`() throws {
    let handed = HandedCopies(limitPerUser: 1 << 20)
    var one: SealedCopy? = try copy()
    let isHanded = handed.hand(try #require(one), to: 1)
    var client: FileDescriptor? = try #require(one).descriptor.duplicate()
    one = nil
    let next = try copy()
    let whileHeld = handed.hand(next, to: 1)
    client = nil
    let afterwards = handed.hand(next, to: 1)
    #expect(isHanded && !whileHeld && afterwards)
    _ = consume client
  }
}
