import Glibc
import Testing
import UnixSocket

@testable import Delivery

struct ArrivingCopyTests {
  /// Returns a pipe with these bytes; its writing end stays open.
  private func pipe(_ bytes: [UInt8]) throws -> (reader: Int32, writer: Int32) {
    var ends: [Int32] = [0, 0]
    try #require(Glibc.pipe(&ends) == 0)
    try #require(write(ends[1], bytes, bytes.count) == bytes.count)
    return (ends[0], ends[1])
  }

  @Test func `a stalled copy is cancelled once nobody wants it`() throws {
    let ends = try pipe([1, 2, 3])
    defer { close(ends.writer) }
    let reader = FileDescriptor(owning: ends.reader)
    var copy = try ArrivingCopy(limitBytes: 100)
    var asked: [Int] = []
    var failure: DeliveryError?
    do throws(DeliveryError) {
      try copy.take(from: reader, first: .seconds(600), patience: .seconds(600)) { count in
        asked.append(count)
        return asked.count < 4
      }
    } catch { failure = error }
    #expect(failure?.code == .readerGone)
    #expect(asked == [3, 3, 3, 3], "once for the bytes that came, then while none did")
  }

  @Test func `a copy stalled for too long fails, however wanted`() throws {
    let ends = try pipe([1])
    defer { close(ends.writer) }
    let reader = FileDescriptor(owning: ends.reader)
    var copy = try ArrivingCopy(limitBytes: 100)
    var failure: DeliveryError?
    do throws(DeliveryError) {
      try copy.take(from: reader, first: .seconds(600), patience: .milliseconds(250)) { _ in true }
    } catch { failure = error }
    #expect(failure?.code == .timedOut)
  }

  @Test func `R129 a copy that never begins fails sooner than a stalled one`() throws {
    let ends = try pipe([])
    defer { close(ends.writer) }
    let reader = FileDescriptor(owning: ends.reader)
    var copy = try ArrivingCopy(limitBytes: 100)
    var failure: DeliveryError?
    do throws(DeliveryError) {
      try copy.take(from: reader, first: .milliseconds(250), patience: .seconds(600)) { _ in true }
    } catch { failure = error }
    #expect(failure?.code == .timedOut)
  }
}
