import Cleaning
import TestSupport
import Testing

struct HostileStructureTests {
  /// A JPEG whose EXIF is these bytes.
  private func jpeg(_ exif: [UInt8]) -> [UInt8] {
    [0xff, 0xd8] + Sample.segment(0xe1, Array("Exif\0\0".utf8) + exif) + Sample.picture
  }

  /// Whether nothing is left of the EXIF.
  private func isErased(_ exif: [UInt8]) throws -> Bool {
    let cleaned = try Cleaned.bytes(jpeg(exif))
    return cleaned[6..<(12 + exif.count)].allSatisfy { $0 == 0 }
  }

  @Test(arguments: [true, false])
  func `damaged EXIF goes as a whole`(isLittle: Bool) throws {
    var cyclic = Sample.TIFF(isLittle: isLittle)
    cyclic.add([cyclic.long(0x8769, 8)])
    #expect(try isErased(cyclic.bytes))

    var outside = Sample.TIFF(isLittle: isLittle)
    outside.add([outside.long(0x8769, 0xffff_fff0)])
    #expect(try isErased(outside.bytes))

    var counts = Sample.TIFF(isLittle: isLittle)
    counts.bytes += counts.number(0xffff, 2) + Sample.placeBytes
    #expect(try isErased(counts.bytes))
    #expect(try isErased(Sample.placeBytes))
  }

  @Test(arguments: [true, false])
  func `an entry with an impossible value goes alone`(isLittle: Bool) throws {
    var tiff = Sample.TIFF(isLittle: isLittle)
    let huge = Sample.Entry(tag: 0x0110, type: 12, count: 0xffff_ffff, value: [0, 0, 0, 0])
    let unknown = Sample.Entry(tag: 0x0131, type: 99, count: 1, value: Array(Sample.placeBytes.dropLast()))
    tiff.add([.text(0x010f, Sample.kept), huge, unknown])
    let cleaned = try Cleaned.bytes(jpeg(tiff.bytes))
    #expect(Cleaned.count(Sample.kept, in: cleaned) == 1)
    #expect(cleaned[20..<22].reduce(0, +) == 1)
  }

  @Test(arguments: [true, false])
  func `a text that lies in the place's directory makes all EXIF go`(isLittle: Bool) throws {
    var tiff = Sample.TIFF(isLittle: isLittle)
    let start = tiff.add([tiff.long(0x8825, 100), Sample.Entry(tag: 0x010f, type: 4, count: 2, value: [])])
    #expect(start == 8)
    // The second entry's value is the place's.
    tiff.bytes.replaceSubrange((8 + 2 + 12 + 8)..<(8 + 2 + 24), with: tiff.number(118, 4))
    tiff.bytes += Array(repeating: 0, count: 100 - tiff.bytes.count)
    tiff.add([.bytes(2, Sample.placeBytes + Sample.placeBytes)])
    #expect(try isErased(tiff.bytes))
  }

  @Test(arguments: [true, false])
  func `a maker note with too great a count leaves the other tags`(isLittle: Bool) throws {
    var tiff = Sample.TIFF(isLittle: isLittle)
    tiff.add([.text(0x010f, Sample.kept), Sample.Entry(tag: 0x927c, type: 7, count: 6, value: [])])
    // The note's offset is that of the first entry's text, which stands behind the directory.
    tiff.bytes.replaceSubrange((8 + 2 + 12 + 8)..<(8 + 2 + 24), with: tiff.number(8 + 2 + 24 + 4, 4))
    let cleaned = try Cleaned.bytes(jpeg(tiff.bytes))
    #expect(Cleaned.count(Sample.kept, in: cleaned) == 1)
    #expect(cleaned[20..<22].reduce(0, +) == 1)
  }

  @Test func `metadata that overlaps the picture makes a file uncleanable`() throws {
    // The EXIF item of a HEIC lies on its coded picture.
    var heic = Sample.heic()
    let location = try #require(heic.indices.first { heic[$0...].starts(with: Array("iloc".utf8)) })
    let first = location + 4 + 4 + 2 + 2 + 6
    heic.replaceSubrange((first + 14)..<(first + 22), with: heic[first..<(first + 8)])
    guard case .uncleanable = Cleaned.outcome(heic) else {
      // The item is no EXIF and becomes zeros, but never the picture.
      let cleaned = try Cleaned.bytes(heic)
      #expect(Cleaned.count("coded\(Sample.kept)", in: cleaned) == 1)
      return
    }
  }

  @Test func `EXIF of an item in a film's sample makes a file uncleanable`() throws {
    let heic = Sample.heic()
    let start = try #require(heic.indices.first { heic[$0...].starts(with: Array("Exif\0\0MM".utf8)) })
    let film = Sample.box("moov", Sample.track("vide", "vp09", offset: start, count: 8))
    #expect(Cleaned.outcome(heic + film) == .uncleanable(.overlap))
  }

  @Test func `strips that share bytes make a file uncleanable`() {
    var tiff = Sample.TIFF(isLittle: true)
    let shared = Array(repeating: tiff.number(4_000, 4), count: 10).flatMap { $0 }
    tiff.add([
      tiff.short(259, 1), tiff.short(262, 2), Sample.Entry(tag: 273, type: 4, count: 10, value: shared),
      Sample.Entry(tag: 279, type: 4, count: 10, value: shared),
    ])
    tiff.bytes += Array(repeating: 0x55, count: 8_000 - tiff.bytes.count)
    #expect(Cleaned.outcome(tiff.bytes) == .uncleanable(.damaged))
  }

  @Test(arguments: [0x8825, 0x8769], [true, false])
  func `R150 a directory that points into the picture never writes pixels`(pointer: Int, isLittle: Bool) {
    var tiff = Sample.TIFF(isLittle: isLittle)
    let start = 400
    tiff.add([
      tiff.long(256, 10), tiff.long(257, 10), tiff.short(259, 1), tiff.short(262, 2), tiff.long(273, start),
      tiff.long(279, 4_000), tiff.long(pointer, start + 100),
    ])
    tiff.bytes += Array(repeating: 0x55, count: start + 100 - tiff.bytes.count)
    // The strip has a directory of places at this point.
    tiff.add([.text(1, "N"), .bytes(2, Sample.placeBytes + Sample.placeBytes)])
    tiff.bytes += Array(repeating: 0x55, count: start + 4_000 - tiff.bytes.count)
    #expect(Cleaned.outcome(tiff.bytes) == .uncleanable(.overlap))
  }

  @Test func `R150 a JPEG without an end marker cannot be cleaned`() {
    let cut = Array(Sample.jpeg().dropLast(2)) + Sample.placeBytes
    #expect(Cleaned.outcome(cut) == .uncleanable(.damaged))
  }

  @Test(arguments: [true, false])
  func `R150 a date of EXIF that holds other bytes goes`(isLittle: Bool) throws {
    var tiff = Sample.TIFF(isLittle: isLittle)
    tiff.add([.text(0x010f, Sample.kept), .text(0x0132, "\(Sample.place)02:03 04:05:06")])
    let cleaned = try Cleaned.bytes(jpeg(tiff.bytes))
    #expect(Cleaned.count(Sample.kept, in: cleaned) == 1)
    #expect(Cleaned.count(Sample.place, in: cleaned) == 0)
  }

  @Test func `files inside files have a greatest depth`() throws {
    var bytes = Sample.movie()
    for _ in 0..<20 {
      bytes = Sample.box("ftyp", Array("heic\0\0\0\0".utf8)) + Sample.box("mpvd", bytes)
    }
    #expect(Cleaned.outcome(bytes) == .uncleanable(.tooComplex))
  }

  @Test func `XMP that is no plain XML goes as a whole`() throws {
    for text in [
      "<x>\(Sample.place)", "<!DOCTYPE x [<!ENTITY a '\(Sample.place)'>]>" + Sample.xmp, "\u{feff}<a/>\(Sample.place)",
      Sample.xmp.replacing("c9d\"?>", with: "c9d\">"), Sample.xmp.replacing("xmlns:other", with: "xmlns:dc"),
      String(repeating: "<a>", count: 100_000),
    ] {
      let header = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
      let payload = (header + Array(text.utf8)).prefix(60_000)
      let cleaned = try Cleaned.bytes([0xff, 0xd8] + Sample.segment(0xe1, Array(payload)) + Sample.picture)
      #expect(cleaned[6..<(6 + payload.count)].allSatisfy { $0 == 0 })
    }
  }

  @Test(arguments: Sample.all.map(\.name))
  func `mutated files never trap, and plans stay inside them`(name: String) throws {
    let original = try #require(Sample.all.first { $0.name == name }?.bytes)
    var random = SeededGenerator(UInt64(name.utf8.count) &* 977)
    let interesting: [UInt8] = [0, 1, 0x7f, 0x80, 0xff, 0xd8, 0x1c]
    for _ in 0..<400 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        guard let index = bytes.indices.randomElement(using: &random) else { break }
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[index] = interesting.randomElement(using: &random) ?? 0
        case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: for position in index..<min(index + 4, bytes.count) { bytes[position] = 0xff }
        case 3: bytes.removeLast(min(bytes.count - 1, Int.random(in: 0..<64, using: &random)))
        default: bytes.removeSubrange(index..<min(index + Int.random(in: 1...16, using: &random), bytes.count))
        }
      }
      for withheld: ErasedFacts in [.location, [.location, .captions]] {
        guard case .plan(let plan) = Cleaned.outcome(bytes, withheld) else { continue }
        #expect(CleaningPlan(plan.edits, byteCount: bytes.count) == plan)
        let cleaned = Cleaned.applied(plan, to: bytes)
        #expect(cleaned.count == bytes.count)
      }
    }
  }
}
