import Cleaning
import Testing

struct FormatTests {
  @Test(arguments: Sample.all.map(\.name), [ErasedFacts.location, .captions, [.location, .captions]])
  func `R150 no carrier of a format keeps a withheld fact`(name: String, withheld: ErasedFacts) throws {
    let bytes = try #require(Sample.all.first { $0.name == name }?.bytes)
    let cleaned = try Cleaned.bytes(bytes, withheld)
    #expect(cleaned.count == bytes.count)
    #expect(Cleaned.count(Sample.place, in: cleaned) == 0)
    if withheld.contains(.captions) { #expect(Cleaned.count(Sample.caption, in: cleaned) == 0) }
  }

  @Test(arguments: Sample.all.map(\.name))
  func `R150 facts that are not withheld stay`(name: String) throws {
    let bytes = try #require(Sample.all.first { $0.name == name }?.bytes)
    let cleaned = try Cleaned.bytes(bytes)
    #expect(Cleaned.count(Sample.kept, in: cleaned) == Cleaned.count(Sample.kept, in: bytes))
    #expect(Cleaned.count(Sample.caption, in: cleaned) > 0)
  }

  @Test(arguments: Sample.all.map(\.name))
  func `a clean file stays as it is`(name: String) throws {
    let bytes = try #require(Sample.all.first { $0.name == name }?.bytes)
    let cleaned = try Cleaned.bytes(bytes, [.location, .captions])
    #expect(try Cleaned.bytes(cleaned, [.location, .captions]) == cleaned)
  }

  @Test(arguments: [true, false])
  func `R150 date and orientation stay in EXIF, and offsets do not move`(isLittle: Bool) throws {
    let bytes = Sample.jpeg(isLittle: isLittle)
    let cleaned = try Cleaned.bytes(bytes)
    #expect(Cleaned.count("2024:02:03 04:05:06", in: cleaned) == 1)
    let orientation: [UInt8] = isLittle ? [0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0] : [1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6]
    #expect(cleaned.indices.contains { cleaned[$0...].starts(with: orientation) })
    #expect(Array(cleaned.suffix(Sample.picture.count)) == Sample.picture)
  }

  @Test func `R150 the EXIF of a HEIC stays although its header does not count the name`() throws {
    var heic = Sample.heic()
    let name = try #require(heic.indices.first { heic[$0...].starts(with: Array("Exif\0\0MM".utf8)) })
    heic[name - 1] = 0
    #expect(Cleaned.count("2024:02:03 04:05:06", in: try Cleaned.bytes(heic)) == 1)
  }

  @Test func `the checksums of changed PNG chunks are right`() throws {
    let cleaned = try Cleaned.bytes(Sample.png(), [.location, .captions])
    var offset = 8
    var types: [String] = []
    while offset < cleaned.count - 5 {
      let length = cleaned[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
      let checked = Array(cleaned[(offset + 4)..<(offset + 8 + length)])
      types.append(String(decoding: checked.prefix(4), as: UTF8.self))
      #expect(
        Array(cleaned[(offset + 8 + length)..<(offset + 12 + length)]) == Sample.big(Int(Sample.checksum(checked)), 4))
      offset += 12 + length
    }
    #expect(types == ["IHDR", "eXIf", "tEXt", "zeRo", "zeRo", "zeRo", "iTXt", "zeRo", "IDAT", "IEND"])
  }

  @Test(arguments: ["RIFF....AVI LIST", "not a photo at all", "", "\u{0}", "BM......", "FUJIFILMCCD-RAW ", "IIU\u{0}"])
  func `R150 other formats cannot be cleaned`(text: String) {
    #expect(Cleaned.outcome(Array(text.utf8)) == .uncleanable(.unknownFormat))
  }

  @Test(arguments: [true, false])
  func `R150 raw files that may need their maker note cannot be cleaned`(isLittle: Bool) {
    // A mosaic without DNG's mark, Sony's and Nikon's compressions, Canon's old JPEG.
    #expect(Cleaned.outcome(Sample.tiff(isLittle: isLittle, pixelKind: 32_803)) == .uncleanable(.unsupported))
    for compression in [32_767, 34_713, 6] {
      #expect(Cleaned.outcome(Sample.tiff(isLittle: isLittle, compression: compression)) == .uncleanable(.unsupported))
    }
  }

  @Test func `a film in fragments or with other samples outside its media data cannot be cleaned`() {
    let movie = Sample.movie()
    #expect(Cleaned.outcome(Array(movie.prefix(16)) + Sample.box("moof", [])) == .uncleanable(.unsupported))
    let outside =
      Sample.box("ftyp", Array("isom\0\0\0\0".utf8)) + Sample.box("mdat", [1, 2, 3])
      + Sample.box("moov", Sample.track("vide", "vp09", offset: 0, count: 8))
    #expect(Cleaned.outcome(outside) == .uncleanable(.unsupported))
  }
}
