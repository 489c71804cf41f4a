import Foundation
import MediaClient
import Testing

/// Truncated files of cameras' own formats, made here with the sizes that their headers state.
@Suite(.enabled(if: MediaWorker.hasPhotos, MediaWorker.noPhotos))
struct CutOffCameraFileTests {
  let client = MediaClient(programs: MediaWorker.folder)

  private func isCut(_ data: Data) throws -> Bool {
    try client.facts(of: MediaWorker.sealed(data)).problems.contains(.truncated)
  }

  /// Expects each cut to be reported, and none for the whole file or with extra bytes at its end.
  private func expectJudged(_ whole: Data, _ format: String, _ cuts: [Int]) throws {
    #expect(!(try isCut(whole)), "\(format) is whole")
    #expect(
      !(try isCut(whole + Data("appended by some program".utf8))),
      "\(format) with rubbish behind it")
    for cut in cuts {
      #expect(try isCut(whole.prefix(cut)), "\(format) of \(whole.count) bytes cut to \(cut)")
    }
  }

  private func big(_ value: Int, _ bytes: Int = 4) -> [UInt8] {
    (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
  private func little(_ value: Int, _ bytes: Int = 4) -> [UInt8] { big(value, bytes).reversed() }
  private func noise(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) } }

  @Test func `a truncated RAF of Fujifilm is detected`() throws {
    let preview = [UInt8](try MediaWorker.photo("orientation/Landscape_6.jpg"))
    let parts = [preview, noise(200), noise(5_000)]
    var header = [UInt8]("FUJIFILMCCD-RAW 0201".utf8) + [UInt8](repeating: 0, count: 64)
    var places: [Int] = [148]
    for part in parts {
      header += big(places[places.count - 1]) + big(part.count)
      places.append(places[places.count - 1] + part.count)
    }
    header += [UInt8](repeating: 0, count: 148 - header.count)
    let whole = Data(header + parts.joined())
    try expectJudged(whole, "raf", [60, 107, 500, places[1] + 10, places[2], places[2] + 1, whole.count - 1])
  }

  @Test func `a truncated MRW of Minolta is detected, packed and unpacked`() throws {
    for bits in [12, 16] {
      let dimensions =
        [UInt8]("27730001".utf8) + big(40, 2) + big(60, 2) + big(38, 2) + big(58, 2) + [UInt8(bits), 12, 0x52, 0]
        + big(0)
      let blocks =
        [0] + [UInt8]("PRD".utf8) + big(dimensions.count) + dimensions + [0] + [UInt8]("PAD".utf8) + big(90) + noise(90)
      let described = 8 + blocks.count
      let whole = Data([0] + [UInt8]("MRM".utf8) + big(blocks.count) + blocks + noise(40 * 60 * bits / 8))
      try expectJudged(whole, "mrw", [40, 100, described - 1, described, described + 1, whole.count - 1])
    }
  }

  /// A TIFF directory; an entry has one number, or a list stored behind the directory.
  private func directory(_ magic: [UInt8], _ entries: [(tag: Int, kind: Int, values: [Int])]) -> [UInt8] {
    let lists = 8 + 2 + entries.count * 12 + 4
    var rows: [UInt8] = []
    var behind: [UInt8] = []
    for entry in entries {
      let bytes = entry.values.flatMap { little($0, entry.kind == 3 ? 2 : 4) }
      let value =
        bytes.count <= 4 ? bytes + [UInt8](repeating: 0, count: 4 - bytes.count) : little(lists + behind.count)
      if bytes.count > 4 { behind += bytes }
      rows += little(entry.tag, 2) + little(entry.kind, 2) + little(entry.values.count) + value
    }
    return magic + little(8) + little(entries.count, 2) + rows + little(0) + behind
  }

  @Test func `a truncated ORF of Olympus is detected, in one strip and in several`() throws {
    for strips in [1, 4] {
      let each = 3_000
      func head(_ start: Int) -> [UInt8] {
        directory(
          [UInt8]("IIRO".utf8),
          [
            (256, 4, [80]), (257, 4, [100]), (258, 3, [12]), (259, 3, [1]),
            (273, 4, (0..<strips).map { start + $0 * each }),
            (277, 3, [1]), (278, 4, [100 / strips]), (279, 4, Array(repeating: each, count: strips)),
          ])
      }
      // The maker's preview lies between the directory and the strips.
      let start = head(0).count + 700
      let whole = Data(head(start) + noise(700) + noise(each * strips))
      try expectJudged(whole, "orf", [50, 200, start - 100, start, start + 1, whole.count - 1])
    }
  }

  @Test func `a truncated RW2 of Panasonic is detected, by its pixels and by its strips`() throws {
    let magic: [UInt8] = [0x49, 0x49, 0x55, 0]
    let across = 140, down = 99
    for (version, bits, pixels) in [(4, 12, 14), (5, 12, 10), (5, 14, 9), (6, 12, 14), (6, 14, 11), (7, 14, 9)] {
      // Some models state no length, or that of the unpacked pixels.
      for stated in [0, across * down * 2] {
        func head(_ start: Int) -> [UInt8] {
          directory(
            magic,
            [
              (2, 3, [across]), (3, 3, [down]), (10, 3, [bits]), (45, 3, [version]), (273, 4, [0xffff_ffff]),
              (279, 4, [stated]), (280, 4, [start]),
            ])
        }
        let start = head(0).count + 300
        let whole = Data(head(start) + noise(300) + noise(across * down / pixels * 16))
        try expectJudged(whole, "rw2", [30, 150, start - 1, start, start + 1, whole.count - 1])
      }
    }
    func head(_ start: Int) -> [UInt8] {
      directory(
        magic,
        [
          (2, 3, [across]), (3, 3, [down]), (10, 3, [14]), (45, 3, [8]), (68, 4, [start, start + 500]),
          (70, 4, [500 * 8, 299 * 8 + 1]),
          (280, 4, [start]),
        ])
    }
    let start = head(0).count
    let whole = Data(head(start) + noise(800))
    try expectJudged(whole, "rw2", [90, start, start + 400, start + 600, whole.count - 1])
  }

  @Test func `a truncated CR3 of Canon is detected`() throws {
    func box(_ type: String, _ content: [UInt8]) -> [UInt8] { big(content.count + 8) + [UInt8](type.utf8) + content }
    let whole = Data(
      box("ftyp", [UInt8]("crx ".utf8) + big(1) + [UInt8]("crx isom".utf8)) + box("moov", box("free", noise(80)))
        + box("mdat", noise(900)))
    #expect(!(try isCut(whole)))
    for cut in [30, 100, 120, 121, 200, whole.count - 1] { #expect(try isCut(whole.prefix(cut))) }
  }

  @Test func `a transport stream that ends inside a packet is detected, with and without camera times`() throws {
    for hasTimes in [false, true] {
      let stream = TransportStream(packets: 60, hasTimes: hasTimes)
      let facts = try client.facts(of: MediaWorker.sealed(stream.data))
      #expect(facts.problems.isEmpty)
      let packet = stream.data.count / 60
      try expectJudged(
        stream.data, hasTimes ? "m2ts" : "mts", [packet * 25 + packet / 2, packet * 40 + 5, stream.data.count - 1])
      // A shorter recording is whole.
      #expect(!(try isCut(stream.data.prefix(packet * 30))))
    }
  }
}
