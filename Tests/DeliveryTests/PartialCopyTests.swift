import Foundation
import Glibc
import Testing
import UnixSocket

@testable import Delivery

struct PartialCopyTests {
  /// Returns a pipe with these bytes and a closed writing end.
  private func pipe(_ bytes: [UInt8]) throws -> FileDescriptor {
    var ends: [Int32] = [0, 0]
    try #require(Glibc.pipe(&ends) == 0)
    let count = write(ends[1], bytes, bytes.count)
    try #require(count == bytes.count)
    close(ends[1])
    return FileDescriptor(owning: ends[0])
  }

  @Test func `bytes are in place with zeros elsewhere, and gaps are reported`() throws {
    let copy = try PartialCopy(byteCount: 100)
    try copy.take(90..<100, from: pipe(Array(90..<100)), patience: .seconds(1))
    try copy.take(0..<10, from: pipe(Array(0..<10)), patience: .seconds(1))
    #expect(copy.parts == [0..<10, 90..<100] && copy.filled == 20)
    #expect(
      copy.missing(in: 5..<95) == [10..<90] && copy.missing(in: 0..<10) == [] && copy.missing(in: 80..<200) == [80..<90]
    )
    try copy.take(10..<20, from: pipe(Array(10..<20)), patience: .seconds(1))
    #expect(copy.parts == [0..<20, 90..<100])
    #expect(copy.missing(in: 0..<100) == [20..<90])
    #expect(try copy.bytes(0..<100) == Array(0..<20) + [UInt8](repeating: 0, count: 70) + Array(90..<100))
  }

  @Test(arguments: [0, 9, 11]) func `wrong bytes are refused`(count: Int) throws {
    let copy = try PartialCopy(byteCount: 100)
    #expect(throws: DeliveryError.self) {
      try copy.take(50..<60, from: pipe([UInt8](repeating: 1, count: count)), patience: .seconds(1))
    }
    #expect(copy.parts == [] && copy.filled == 0)
  }

  @Test func `a last part ends with the file`() throws {
    let copy = try PartialCopy(byteCount: 100)
    try copy.take(95..<200, from: pipe([1, 2, 3, 4, 5]), patience: .seconds(1))
    #expect(copy.parts == [95..<100])
  }

  @Test func `its reader can neither write nor truncate it`() throws {
    let copy = try PartialCopy(byteCount: 100)
    #expect(write(copy.descriptor.number, "x", 1) == -1 && ftruncate(copy.descriptor.number, 1) == -1)
    let own = open("/proc/self/fd/\(copy.descriptor.number)", O_RDWR)
    if own >= 0 { #expect(ftruncate(own, 1) == -1 && ftruncate(own, 1_000) == -1) }
    close(own)
  }
}
