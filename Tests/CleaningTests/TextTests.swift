import Testing

@testable import Cleaning

struct TextTests {
  @Test(arguments: [
    "47.3769", "8,541", "geo:lat=4", "GPS off", "{\"MAPLatitude\": 4}", "47\u{b0}22'", "latitude", "a&#52;7",
  ])
  func `R150 a text with coordinates counts as a place`(text: String) {
    #expect(PlaceHints.mayHoldPlace(Array(text.utf8)))
    #expect(PlaceHints.mayHoldPlace(text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }))
  }

  @Test(arguments: [
    "47 deg 22' 36\" N", "N47 22 36 E8 32 30", "Lat 47 Long 8", "47\u{ba}22'", "47\u{2032} 22\u{2033}", "8FVC9GGR+QM",
    "https://maps.app.goo.gl/AbCdEf", "-33.86, 151.21", "lon: 8", "MGRS 32TMT6472",
  ])
  func `R150 a text with rough coordinates counts as a place`(text: String) {
    #expect(PlaceHints.mayHoldPlace(Array(text.utf8)))
  }

  @Test(arguments: ["A long walk", "Anna's 5th, room 3", "Tickets for 12.50"])
  func `a caption with a few numbers counts as none`(text: String) {
    #expect(!PlaceHints.mayHoldPlace(Array(text.utf8)))
  }

  @Test func `a file is not examined again and again`() throws {
    let input = Input(MemorySource(Array(repeating: 0, count: 8 << 20)))
    #expect(throws: Uncleanable.tooComplex) { for _ in 0..<20 { _ = try input.bytes(0, 8 << 20) } }
    #expect(throws: Uncleanable.overlap) { for _ in 0..<4 { try input.claim(6 << 20) } }
  }

  @Test func `literal bytes have a limit before the plan is made`() throws {
    let draft = Draft(.location)
    try draft.write(Array(repeating: 0, count: CleaningPlan.literalLimitBytes), at: 0)
    #expect(throws: Uncleanable.tooComplex) { try draft.write([0], at: CleaningPlan.literalLimitBytes) }
  }

  @Test(arguments: ["Grandma's birthday", "f/2.8, 1/250 s", "12.05 o'clock", "На море", "", "v1.2.34"])
  func `a usual caption counts as none`(text: String) {
    #expect(!PlaceHints.mayHoldPlace(Array(text.utf8)))
  }

  @Test func `the filler of H264 and H265 has every length and no start code`() {
    for count in 1..<2_000 {
      let filler = NALStream.filler(count)
      #expect(filler.count == count)
      if count >= 4 { #expect(filler.last == 0x80) }
      #expect(!zip(filler, filler.dropFirst()).contains { $0 == (0, 0) })
    }
  }

  @Test func `R150 messages of programs in H264 become filler, and timing stays`() throws {
    let configuration = Sample.box("avcC", [1, 66, 0, 30, 0xff, 0, 0])
    let entry = Sample.box("avc1", Array(repeating: 0, count: 78), configuration)
    let boxes = try Boxes.all(in: Window(Input(MemorySource(entry))))
    let stream = try #require(try NALStream(boxes))
    let message = [UInt8(6), 5, 21] + Array("MDPM............".utf8) + Sample.placeBytes + [0x80]
    let timing: [UInt8] = [6, 1, 1, 0x11, 0x80]
    let sample = [message, timing, [0x65, 1, 2, 3]].flatMap { Sample.big($0.count, 4) + $0 }
    let draft = Draft(.location)
    try stream.clean(Window(Input(MemorySource(sample))), draft)
    let cleaned = Cleaned.applied(try draft.plan(byteCount: sample.count), to: sample)
    #expect(Cleaned.count(Sample.place, in: cleaned) == 0)
    #expect(cleaned[4] == 6 && cleaned[5] == 3)
    #expect(Array(cleaned.dropFirst(4 + message.count)) == Array(sample.dropFirst(4 + message.count)))
  }
}
