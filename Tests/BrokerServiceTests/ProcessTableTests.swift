import Glibc
import Limits
import Testing
import UnixSocket

@testable import BrokerService

@Suite struct ProcessTableTests {
  @Test func `a connection that outlived its process is not counted for the number's next process`() throws {
    var ends: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let one = FileDescriptor(owning: ends[0])
    let other = FileDescriptor(owning: ends[1])
    let peer = try PeerIdentity(ofSocket: one)
    _ = consume other
    var table = ProcessTable()
    _ = table.add(peer)
    _ = table.remove(peer.processKey)
    for _ in 0..<ServiceLimits.connectionsPerProcess { _ = table.add(peer) }
    table.closed(peer, hasOutlivedProcess: true)
    #expect(!table.mayAdd(peer))
    table.closed(peer, hasOutlivedProcess: false)
    #expect(table.mayAdd(peer))
  }
}
