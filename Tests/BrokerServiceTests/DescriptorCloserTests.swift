import Glibc
import Synchronization
import Testing
import UnixSocket

@testable import BrokerService

/// Closes and reads that another user can block for ever.
@Suite struct DescriptorCloserTests {
  /// A socket that takes seconds to close: its peer does not read, and the socket waits for that.
  private func lingering(_ seconds: Int32, _ others: inout OwnedDescriptors) throws -> FileDescriptor {
    let listener = FileDescriptor(owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let one = FileDescriptor(owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = bind(listener.number, address, size)
        _ = listen(listener.number, 1)
        _ = getsockname(listener.number, address, &size)
        _ = connect(one.number, address, size)
      }
    }
    others.append(FileDescriptor(owning: accept(listener.number, nil, nil)))
    var wait = linger(l_onoff: 1, l_linger: seconds)
    #expect(setsockopt(one.number, SOL_SOCKET, SO_LINGER, &wait, socklen_t(MemoryLayout<linger>.size)) == 0)
    try one.setNonblocking(true)
    let bytes = [UInt8](repeating: 1, count: 1 << 16)
    while write(one.number, bytes, bytes.count) > 0 {}
    return one
  }

  private func isOpen(_ number: Int32) -> Bool { fcntl(number, F_GETFD) >= 0 }

  private func waits(_ seconds: Int = 5, until condition: () -> Bool) -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while !condition(), ContinuousClock.now < end { usleep(1_000) }
    return condition()
  }

  @Test func `R129 a user's stuck descriptors delay no other user's, and that user may send no more`() throws {
    let closer = DescriptorCloser(limit: 20, limitPerUser: 5, threadLimit: 6, threadsPerUser: 2, mostAtOnce: 2)
    var others = OwnedDescriptors()
    var slow = OwnedDescriptors()
    for _ in 0..<5 { slow.append(try lingering(3, &others)) }
    closer.took(5, from: 1)
    let begun = ContinuousClock.now
    while let descriptor = slow.takeFirst() { closer.close(OwnedDescriptors(descriptor), of: 1) }
    #expect(ContinuousClock.now - begun < .seconds(3))
    #expect(!closer.mayTake(from: 1))
    #expect(closer.mayTake(from: 2))
    let quick = FileDescriptor(owning: open("/dev/null", O_RDONLY | O_CLOEXEC))
    let number = quick.number
    closer.took(1, from: 2)
    closer.close(OwnedDescriptors(quick), of: 2)
    #expect(waits(2) { !isOpen(number) })
    // Its turn comes after those before it.
    _ = others.takeAll()
    #expect(waits(10) { closer.mayTake(from: 1) })
  }

  @Test func `closing threads of a user are bounded and released when they end`() {
    let threads = ForeignThreads(limit: 4, limitPerUser: 2)
    let isHeld = Atomic<Bool>(true)
    let running = Atomic<Int>(0)
    func hold(_ user: UInt32) -> Bool {
      threads.run(for: user) {
        running.add(1, ordering: .relaxed)
        while isHeld.load(ordering: .relaxed) { usleep(1_000) }
        running.subtract(1, ordering: .relaxed)
      }
    }
    #expect(
      [hold(1), hold(1), hold(1), hold(2), hold(2), hold(3), hold(4)] == [true, true, false, true, false, true, false])
    isHeld.store(false, ordering: .relaxed)
    // A second call after a success would take another turn.
    var isGiven = false
    #expect(
      waits(30) {
        isGiven = isGiven || hold(3)
        return isGiven
      })
    #expect(waits(30) { running.load(ordering: .relaxed) == 0 })
  }
}
