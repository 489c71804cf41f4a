import Broker
import BrokerInterface
import Limits
import PhotoModel
import Testing

@testable import BrokerService

/// Clocks that are set by hand, and randomness without a repeated draw.
private final class Clock: Environment {
  let now = Timestamp(microseconds: 1_700_000_000_000_000)
  var monotonic = Duration.seconds(100)
  private var drawn: UInt8 = 0

  func randomBytes(_ count: Int) -> [UInt8] {
    drawn += 1
    return [UInt8](repeating: drawn, count: count)
  }
}

@Suite struct PageDoorsTests {
  private let clock = Clock()
  private let connection = Clock()
  private var doors = PageLoginCodes()

  init() throws {
    doors.serve(1000, address: try #require(LoopbackAddress("127.1.2.3")), port: 4711, on: ObjectIdentifier(connection))
  }

  private mutating func open() throws -> String { try doors.open(1000, clock).code }

  private mutating func isOpened(by code: String) -> Bool {
    do throws(BrokerError) {
      try doors.redeem(code, for: 1000, clock)
      return true
    } catch { return false }
  }

  @Test mutating func `a code opens the page for one minute`() throws {
    let early = try open()
    let late = try open()
    clock.monotonic += .seconds(60) - .nanoseconds(1)
    #expect(isOpened(by: early))
    clock.monotonic += .nanoseconds(1)
    #expect(!isOpened(by: late))
    let new = try open()
    #expect(isOpened(by: new))
  }

  @Test mutating func `a code comes with the address and port of the latest page server`() throws {
    let first = try doors.open(1000, clock)
    #expect(first.address.description == "127.1.2.3" && first.port == 4711)
    let other = try #require(LoopbackAddress("127.4.5.6"))
    doors.serve(1000, address: other, port: 4711, on: ObjectIdentifier(connection))
    #expect(try doors.open(1000, clock).address == other)
  }

  @Test mutating func `expired codes make room for new ones`() throws {
    for _ in 0..<ServiceLimits.pageCodesPerUser { _ = try open() }
    #expect(throws: BrokerError.self) { try open() }
    clock.monotonic += .seconds(60)
    let code = try open()
    #expect(isOpened(by: code))
  }
}
