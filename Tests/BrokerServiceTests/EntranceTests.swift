import Glibc
import Monitor
import Synchronization
import Testing

@testable import BrokerService
@testable import UnixSocket

/// Connections that arrive beside the loop, and the loop's view of them (R129).
@Suite struct EntranceTests {
  /// An accepted connection and its peer. The kernel lets descriptors through, as before 6.16.
  private final class Client {
    let socket: AcceptedSocket
    private var descriptor: FileDescriptor?

    init() throws {
      var ends: [Int32] = [-1, -1]
      #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      descriptor = FileDescriptor(owning: ends[1])
      socket = try AcceptedSocket(FileDescriptor(owning: ends[0]), kernelRefusesDescriptors: false)
    }

    /// For system calls while it is open.
    var number: Int32 {
      switch descriptor {
      case .some(let descriptor): descriptor.number
      case .none: -1
      }
    }

    /// Whether the service closed it.
    var isTurnedAway: Bool {
      var byte: UInt8 = 0
      return recv(number, &byte, 1, Int32(MSG_DONTWAIT)) == 0
    }

    func send() { #expect(Glibc.send(number, "x", 1, Int32(MSG_NOSIGNAL)) == 1) }

    func leave() { descriptor = nil }
  }

  private func entrance(_ woken: Counter, limitPerLane: Int = 100) -> Entrance {
    Entrance(closer: DescriptorCloser(limit: 1_000), arrivals: PendingConnections(limitPerLane: limitPerLane)) {
      woken.count.add(1, ordering: .relaxed)
    }
  }

  private final class Counter: Sendable { let count = Atomic<Int>(0) }

  @Test func `R129 the loop is woken by a user's first connection and informed once of refusals`() throws {
    let woken = Counter()
    let entrance = entrance(woken, limitPerLane: 2)
    let clients = try (0..<5).map { _ in try Client() }
    for client in clients { entrance.add(client.socket, through: .apps) }
    #expect(woken.count.load(ordering: .relaxed) == 1)
    let look = entrance.look()
    #expect(look.turnedAway == [getuid(): 3])
    #expect(look.opening != nil)
    #expect(entrance.look().turnedAway == [:])
    #expect(clients.map(\.isTurnedAway) == [false, false, true, true, true])
    let next = try #require(entrance.next(at: .now))
    #expect(next.endpoint == .apps)
    #expect(try next.socket.identified().peer.uid == getuid())
  }

  @Test func `R129 a connection closed in silence is dropped, and one with data is admitted`() throws {
    let woken = Counter()
    let entrance = entrance(woken)
    let (left, calling) = (try Client(), try Client())
    left.leave()
    entrance.add(left.socket, through: .apps)
    #expect(entrance.look().opening == nil)
    #expect(entrance.look().turnedAway == [:])
    calling.send()
    calling.leave()
    entrance.add(calling.socket, through: .administration)
    #expect(entrance.next(at: .now)?.endpoint == .administration)
    #expect(woken.count.load(ordering: .relaxed) == 1)
  }

  @Test func `nothing is admitted after the end`() throws {
    let woken = Counter()
    let entrance = entrance(woken)
    let (waiting, late) = (try Client(), try Client())
    entrance.add(waiting.socket, through: .apps)
    entrance.closeAll()
    entrance.add(late.socket, through: .apps)
    #expect(waiting.isTurnedAway && late.isTurnedAway)
    #expect(entrance.look().opening == nil)
    #expect(woken.count.load(ordering: .relaxed) == 1)
  }

  @Test func `R129 a refused connection with descriptors is closed on another thread`()
    throws
  {
    let elsewhere = Counter()
    for withDescriptor in [true, false] {
      let client = try Client()
      if withDescriptor {
        let sent = OwnedDescriptors(FileDescriptor(owning: open("/dev/null", O_RDONLY | O_CLOEXEC)))
        #expect([UInt8(1)].withUnsafeBytes { DescriptorMessage.send($0, descriptors: sent, to: client.number) } == 1)
      }
      client.socket.close { _ in elsewhere.count.add(1, ordering: .relaxed) }
      #expect(elsewhere.count.load(ordering: .relaxed) == 1)
      #expect(client.socket.isLeft)
    }
  }
}
