import CLinux
import Foundation
import Glibc
import MediaClient
import Testing
import UnixSocket

/// Remote files, of which the worker gets the parts that it requests.
@Suite(.enabled(if: MediaWorker.hasPhotos, MediaWorker.noPhotos))
struct PartsTests {
  let client = MediaClient(programs: MediaWorker.folder)

  /// The result of a file read part by part.
  private struct Seen {
    var facts: MediaFacts
    var bytes: Int
  }

  /// - Parameters:
  ///   - head: How much is shown at first.
  ///   - step: How much more each time, at least.
  private func look(_ data: Data, head: Int, step: Int) throws -> Seen {
    let file = FileDescriptor(owning: clinux_memory_file("input"))
    try #require(ftruncate(file.number, data.count) == 0)
    try #require(clinux_seal_size(file.number) == 0)
    var parts: [Range<Int>] = []
    func show(_ range: Range<Int>) throws {
      let number = file.number
      let count = data[range].withUnsafeBytes { pwrite(number, $0.baseAddress, $0.count, range.lowerBound) }
      try #require(count == range.count)
      var all = IndexSet(integersIn: range)
      for part in parts { all.insert(integersIn: part) }
      parts = all.rangeView.map { $0 }
    }
    try show(0..<min(head, data.count))
    for _ in 0..<200 {
      switch try client.facts(ofParts: file, byteCount: data.count, parts: parts) {
      case .facts(let facts): return Seen(facts: facts, bytes: parts.reduce(0) { $0 + $1.count })
      case .needs(let range):
        // A part that is present must not be requested.
        try #require(!parts.contains { $0.contains(range.lowerBound) })
        let isScattered = parts.count == MediaClient.partLimit
        try show(
          isScattered
            ? 0..<data.count : range.lowerBound..<max(range.upperBound, min(data.count, range.lowerBound + step)))
      }
    }
    throw Endless()
  }

  private struct Endless: Error {}

  @Test(arguments: [(4_097, 16_384), (131_072, 131_072)])
  func `facts from requested parts equal facts from the whole file, for every photo`(head: Int, step: Int) throws {
    var shown = (pieces: 0, all: 0)
    for row in try ManifestRow.all() {
      let data = try MediaWorker.photo(row.file)
      let whole = try client.facts(of: MediaWorker.sealed(data))
      guard !data.isEmpty else { continue }
      var seen = try look(data, head: head, step: step)
      // The digest of a partial file is of both ends of the picture, if it has them.
      seen.facts.picture = whole.picture
      #expect(seen.facts == whole, "\(row.file)")
      shown.pieces += seen.bytes
      shown.all += data.count
    }
    #expect(shown.pieces < shown.all, "\(shown)")
  }

  /// A photo with 3 MB of picture data and few tables.
  private func large(end: [UInt8] = [0xff, 0xd9]) throws -> Data {
    let small = try MediaWorker.photo("dates/4MinsAroundTheWorld/UTC-20240413-203720-Tokyo.jpg")
    return small.dropLast(2) + Data(repeating: 0x11, count: 3_000_000) + Data(end)
  }

  @Test func `a large JPEG's beginning and end suffice, and one without an end is read whole`() throws {
    let sound = try large()
    let seen = try look(sound, head: 131_072, step: 16_384)
    #expect(seen.bytes <= 131_072 + 16_384 && seen.facts.date != nil && seen.facts.problems.isEmpty)
    let cut = try large(end: [0, 0])
    let lost = try look(cut, head: 131_072, step: 16_384)
    #expect(lost.bytes == cut.count && lost.facts.problems == [.truncated])
  }

  @Test func `an invalid list of parts is refused`() throws {
    let file = try MediaWorker.sealed(try large())
    let bad: [[Range<Int>]] = [
      [], [5..<5], [10..<20, 15..<30], [10..<20, 20..<30], [20..<30, 0..<10], (0..<13).map { $0 * 10..<$0 * 10 + 5 },
    ]
    for parts in bad {
      #expect(throws: MediaError.self, "\(parts)") {
        try client.facts(ofParts: file, byteCount: 3_000_000, parts: parts)
      }
    }
  }
}
