import Foundation
import MediaClient
import Testing

/// Dates that stand only in a camera's own entries, or in texts.
@Suite(.enabled(if: MediaWorker.isBuilt, MediaWorker.noWorker))
struct CameraDateTests {
  let client = MediaClient(programs: MediaWorker.folder)

  private func big(_ value: Int, _ bytes: Int = 4) -> [UInt8] {
    (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
  private func little(_ value: Int, _ bytes: Int = 4) -> [UInt8] { big(value, bytes).reversed() }
  private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  /// The worker's date as text, of a JPEG with one application segment.
  private func date(of segment: [UInt8]) throws -> String? {
    let jpeg = [0xff, 0xd8, 0xff, 0xe1] + big(segment.count + 2, 2) + segment + [0xff, 0xda, 0, 2, 0xff, 0xd9]
    return try text(client.facts(of: MediaWorker.sealed(Data(jpeg))).date)
  }

  private func text(_ date: CaptureDate?) -> String? {
    date.map {
      "\($0.year)-\($0.month)-\($0.day) \($0.hour):\($0.minute):\($0.second).\($0.microsecond)"
        + ($0.offsetMinutes.map { " \($0)" } ?? "")
    }
  }

  @Test(arguments: [true, false]) func `R163 the date of a FLIR camera stands in its own segments`(_ isLittle: Bool)
    throws
  {
    func number(_ value: Int, _ bytes: Int = 4) -> [UInt8] { isLittle ? little(value, bytes) : big(value, bytes) }
    // 2016-06-27T19:29:42Z, four hours behind UTC.
    let record =
      number(2, 2) + zeros(898) + number(1_467_055_782) + number(41) + number(240, 2) + zeros(20)
    let header = Array("FFF\0".utf8) + zeros(16) + number(101) + number(64) + number(1) + zeros(32)
    let entry = number(0x20, 2) + zeros(10) + number(96) + number(record.count) + zeros(12)
    let segment = Array("FLIR\0".utf8) + [1, 0, 0] + header + entry + record
    #expect(try date(of: segment) == "2016-6-27 15:29:42.41000 -240")
    for count in stride(from: 8, to: segment.count - 20, by: 37) {
      #expect(try date(of: Array(segment.prefix(count))) == nil)
    }
    for place in 28..<segment.count where place < 124 {
      var damaged = segment
      damaged[place] = 0xff
      _ = try date(of: damaged)
    }
  }

  @Test func `R163 the date of a Reconyx camera stands in the maker's notes`() throws {
    func note(_ mark: [UInt8], _ place: Int, _ date: [UInt8]) -> [UInt8] {
      mark + zeros(place - mark.count) + date + zeros(20)
    }
    let shorts = { (numbers: [Int]) in numbers.flatMap { little($0, 2) } }
    let notes = [
      note([0x01, 0xf1, 3, 0], 22, shorts([31, 8, 9, 5, 7, 2015])),
      note(Array("RECONYXUF\0".utf8), 59, [31, 8, 9, 7, 5] + little(2015, 2)),
      note(Array("RECONYXMF\0".utf8), 47, [31, 8, 9, 7, 5] + little(2015, 2)),
      note(Array("RECONYXH2\0".utf8), 62, shorts([31, 8, 9, 7, 5, 2015])),
      note(Array("RECONYXHF4K\0".utf8), 78, shorts([31, 8, 9, 5, 7, 2015])),
    ]
    for note in notes {
      let entry = little(0x927c, 2) + little(7, 2) + little(note.count) + little(44)
      let exif =
        Array("Exif\0\0II*\0".utf8) + little(8) + little(1, 2) + little(0x8769, 2) + little(4, 2) + little(1)
        + little(26) + zeros(4) + little(1, 2) + entry + zeros(4) + note
      #expect(try date(of: exif) == "2015-5-7 9:8:31.0")
    }
  }

  @Test(arguments: [
    ("Creation Time", "Mon 9 Aug 2004 21:17:36 +0200", "2004-8-9 21:17:36.0 120"),
    ("CreationTime", "1999:01:01 00:08:50", "1999-1-1 0:8:50.0"),
    ("create-date", "2008-04-30T17:23:58+02:00", "2008-4-30 17:23:58.0 120"),
    ("Comment", "2008-04-30T17:23:58+02:00", nil),
  ]) func `R163 a PNG's texts have its date, also with a damaged header`(
    _ keyword: String, _ value: String, _ date: String?
  )
    throws
  {
    func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
      big(content.count) + Array(type.utf8) + content + zeros(4)
    }
    let text = Array(keyword.utf8) + [0] + Array(value.utf8)
    let png =
      [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10] + chunk("IHDR", big(30) + big(20) + [9, 9, 9, 9, 9])
      + chunk("tEXt", text) + chunk("IEND", [])
    let facts = try client.facts(of: MediaWorker.sealed(Data(png)))
    #expect(self.text(facts.date) == date)
    #expect(facts.size == .init(width: 30, height: 20))
  }
}
