import Limits
import Testing

@testable import BrokerService

@Suite struct UploadsTests {
  @Test func `an upload returns its appended bytes, once`() throws {
    var uploads = Uploads()
    let begun = uploads.begin()
    let upload = try #require(begun)
    let two = uploads.append([1, 2], to: upload)
    #expect(two == 2)
    let three = uploads.append([3], to: upload)
    #expect(three == 3)
    let taken = uploads.take(upload)
    #expect(taken == [[1, 2, 3]], "small pieces are put together")
    let gone = uploads.take(upload)
    #expect(gone == nil)
    #expect(!uploads.isOpen(upload))
  }

  @Test func `pieces stay in order, and a large one is not copied`() throws {
    var uploads = Uploads()
    let begun = uploads.begin()
    let upload = try #require(begun)
    let pieces = [UInt8(1), 2, 3].map { [UInt8](repeating: $0, count: ServiceLimits.pieceBytes) }
    for (index, piece) in pieces.enumerated() {
      let count = uploads.append(piece, to: upload)
      #expect(count == (index + 1) * ServiceLimits.pieceBytes)
    }
    _ = uploads.append([4], to: upload)
    let taken = uploads.take(upload)
    #expect(taken == pieces + [[4]])
    #expect(uploads.total == 0)
  }

  @Test func `one upload over the limit is refused, and taking one makes room`() throws {
    var uploads = Uploads()
    let begun = uploads.begin()
    let first = try #require(begun)
    let others = (1..<ServiceLimits.uploadsPerConnection).map { _ in uploads.begin() }
    #expect(others.allSatisfy { $0 != nil })
    let over = uploads.begin()
    #expect(over == nil)
    _ = uploads.take(first)
    let again = uploads.begin()
    #expect(again != nil)
  }

  @Test func `bytes over the total limit of uploads are refused`() throws {
    var uploads = Uploads()
    let begun = uploads.begin()
    let upload = try #require(begun)
    let full = uploads.append([UInt8](repeating: 0, count: ServiceLimits.uploadBytes), to: upload)
    #expect(full == ServiceLimits.uploadBytes)
    let over = uploads.append([0], to: upload)
    #expect(over == nil)
  }
}
