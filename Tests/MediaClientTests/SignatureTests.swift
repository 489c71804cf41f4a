import Foundation
import MediaClient
import Testing
import UnixSocket

/// Photos and videos by their first bytes, whatever decoders make of the rest.
@Suite(.enabled(if: MediaWorker.isBuilt, MediaWorker.noWorker))
struct SignatureTests {
  let client = MediaClient(programs: MediaWorker.folder)

  private static func brand(_ major: String, _ others: String = "") -> String {
    "\0\0\0\(others.isEmpty ? "\u{10}" : "\u{14}")ftyp\(major)\0\0\0\0\(others)"
  }

  /// A file's beginning, in Latin 1.
  private struct Beginning: CustomTestStringConvertible {
    let bytes: String
    let type: String?
    var testDescription: String { type ?? "nothing" }

    init(_ bytes: String, _ type: String?) {
      self.bytes = bytes
      self.type = type
    }

    var data: Data { bytes.data(using: .isoLatin1) ?? Data() }
  }

  private static let beginnings: [Beginning] = [
    .init("\u{ff}\u{d8}\u{ff}", "image/jpeg"),
    .init("\u{89}PNG\r\n\u{1a}\n", "image/png"),
    .init("GIF89a", "image/gif"),
    .init("RIFF\u{10}\0\0\0WEBPVP8 ", "image/webp"),
    .init("BM\u{46}\0\0\0\0\0\0\0\u{36}\0\0\0", "image/bmp"),
    .init("\u{ff}\n\u{fa}", "image/jxl"),
    .init("\0\0\0\u{c}JXL \r\n\u{87}\n", "image/jxl"),
    .init("\0\0\0\u{c}jP  \r\n\u{87}\n\0\0\0\u{14}ftypjp2 ", "image/jp2"),
    .init("\0\0\0\u{c}jP  \r\n\u{87}\n\0\0\0\u{14}ftypjpx ", "image/jpx"),
    .init("\u{ff}\u{4f}\u{ff}\u{51}", "image/j2c"),
    .init("II\u{bc}\u{1}", "image/jxr"),
    .init("8BPS\0\u{1}", "image/vnd.adobe.photoshop"),
    .init("II*\0", "image/tiff"),
    .init("MM\0*", "image/tiff"),
    .init("II+\0\u{8}\0\0\0", "image/tiff"),
    .init("MM\0+\0\u{8}\0\0", "image/tiff"),
    .init("II*\0\u{10}\0\0\0CR\u{2}\0", "image/x-canon-cr2"),
    .init("II*\0\u{8}\0\0\0IIIITwaR", "image/x-raw"),
    .init("MM\0*\0\0\0\u{8}MMMMRawT", "image/x-raw"),
    .init("FUJIFILMCCD-RAW 0201", "image/x-fuji-raf"),
    .init("FOVb", "image/x-sigma-x3f"),
    .init(brand("heic", "mif1"), "image/heic"),
    .init(brand("mif1", "heic"), "image/heic"),
    .init(brand("mif1", "miaf"), "image/heif"),
    .init(brand("avif", "mif1"), "image/avif"),
    .init(brand("crx "), "image/x-canon-cr3"),
    .init(brand("qt  "), "video/quicktime"),
    .init(brand("mp42"), "video/mp4"),
    .init(brand("3gp4"), "video/3gpp"),
    .init("\0\0\0\0moov", "video/quicktime"),
    .init("RIFF\u{10}\0\0\0AVI LIST", "video/x-msvideo"),
    .init("\u{1a}\u{45}\u{df}\u{a3}\u{9f}\u{42}\u{82}\u{84}webm", "video/webm"),
    .init("\u{1a}\u{45}\u{df}\u{a3}\u{a3}\u{42}\u{82}\u{88}matroska", "video/x-matroska"),
    .init("\0\0\u{1}\u{ba}", "video/mpeg"),
    .init(brand("M4A ", "mp42"), nil),
    .init("RIFF\u{10}\0\0\0WAVEfmt ", nil),
    .init("%PDF-1.7", nil),
    .init("BM, the name of a text", nil),
  ]

  @Test(arguments: beginnings)
  private func `R161 the first bytes alone make a photo or video`(_ file: Beginning) throws {
    let sealed = try MediaWorker.sealed(file.data)
    for facts in [try client.signature(of: sealed), try client.facts(of: sealed)] {
      #expect(facts.mimeType == file.type)
      let kind = file.type.map { $0.hasPrefix("image") ? MediaFacts.Kind.image : .video } ?? .unknown
      #expect(facts.kind == kind)
      #expect(facts.size == nil)
    }
    #expect(try MediaWorker.refusal(client, file.data)?.code == .refused)
  }

  @Test(arguments: beginnings)
  private func `R161 a signature with damaged content behind it stays a photo or video`(_ file: Beginning) throws {
    // Boxes and chunks without a length, with a length of eight bytes, and beyond the end.
    for rest in [Data(count: 5_000), Data(repeating: 0xff, count: 5_000), Data((0..<5_000).map { UInt8($0 & 255) })] {
      let facts = try client.facts(of: MediaWorker.sealed(file.data + rest))
      #expect(facts.mimeType == file.type)
    }
    for count in 0..<file.data.count { _ = try client.facts(of: MediaWorker.sealed(file.data.prefix(count))) }
  }

  @Test func `a video's container with sound alone is no video`() throws {
    func big(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    func box(_ type: String, _ content: [UInt8]) -> [UInt8] { big(content.count + 8) + Array(type.utf8) + content }
    let zeros = { [UInt8](repeating: 0, count: $0) }
    let entry = box("sowt", zeros(6) + [0, 1] + zeros(8) + [0, 1, 0, 16, 0, 0, 0, 0, 0x1f, 0x40, 0, 0])
    let table = box(
      "stbl",
      box("stsd", big(0) + big(1) + entry) + box("stts", big(0) + big(1) + big(1) + big(1))
        + box("stsc", big(0) + big(1) + big(1) + big(1) + big(1)) + box("stsz", big(0) + big(2) + big(1))
        + box("stco", big(0) + big(1) + big(40)))
    let media = box(
      "mdia",
      box("mdhd", big(0) + big(0) + big(0) + big(8_000) + big(1) + big(0))
        + box("hdlr", big(0) + Array("mhlrsoun".utf8) + zeros(13)) + box("minf", box("smhd", zeros(8)) + table))
    let track = box("trak", box("tkhd", big(7) + big(0) + big(0) + big(1) + zeros(68)) + media)
    let header = box("mvhd", big(0) + big(0) + big(0) + big(1_000) + big(1) + zeros(80))
    let file = box("ftyp", Array("mp42".utf8) + big(0)) + box("mdat", zeros(32)) + box("moov", header + track)
    let facts = try client.facts(of: MediaWorker.sealed(Data(file)))
    #expect(facts.kind == .unknown)
  }

  @Test(.enabled(if: MediaWorker.hasPhotos, MediaWorker.noPhotos))
  func `a HEIC file that libheif refuses has its size, and a thumbnail from its tiles or its small picture`() throws {
    let whole = try MediaWorker.photo("../cases/01_ios18_heic/IMG_0307.HEIC")
    for percent in [100, 99, 30] {
      let file = try MediaWorker.sealed(whole.prefix(whole.count * percent / 100))
      let facts = try client.facts(of: file)
      #expect(facts.size == .init(width: 4_284, height: 5_712) && facts.codedSize == .init(width: 5_712, height: 4_284))
      #expect(facts.orientation == 6 && facts.problems.contains(.truncated) == (percent < 100))
      let thumbnail = try client.thumbnail(of: file, .init(width: 64, height: 64))
      #expect(thumbnail.width == 48 && thumbnail.height == 64)
    }
  }
}
