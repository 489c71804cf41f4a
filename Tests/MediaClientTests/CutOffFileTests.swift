import Foundation
import MediaClient
import Testing

/// Truncated files, as after an interrupted copy or a removed card.
@Suite(.enabled(if: MediaWorker.hasPhotos, MediaWorker.noPhotos))
struct CutOffFileTests {
  let client = MediaClient(programs: MediaWorker.folder)

  private func problems(_ data: Data) throws -> Set<MediaProblem> {
    Set(try client.facts(of: MediaWorker.sealed(data)).problems)
  }

  private func little(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

  @Test(
    arguments: [
      "burst/IMG_3606.JPG", "png/chelsea.png", "heic/test.heic", "avif/paris_icc_exif_xmp.avif", "webp/denali.webp",
      "gif/CLP00002.GIF",
      "gif/MVC-006T.GIF", "tiff/001.tif", "tiff/xmp.tiff", "raw/test.dng", "raw/CRW_0305.CRW", "live/IMG_7943_HEVC.MOV",
      "video/video_rotate.mp4", "video/hello.3gp", "video/hello.avi", "video/video_mkv.mkv", "video/small.webm",
    ])
  func `a truncated file of every format is detected, wherever it is cut`(name: String) throws {
    let whole = try MediaWorker.photo(name)
    #expect(try problems(whole).isDisjoint(with: [.truncated, .unreadable]))
    for percent in [5, 30, 60, 90, 99] {
      let found = try problems(Data(whole.prefix(whole.count * percent / 100)))
      #expect(found.contains(.truncated), "\(name) cut to \(percent) %: \(found)")
    }
  }

  @Test func `a truncated JPEG still has a thumbnail`() throws {
    let photo = try MediaWorker.photo("burst/IMG_3606.JPG")
    #expect(try MediaWorker.refusal(client, Data(photo.prefix(photo.count / 2))) == nil)
  }

  @Test(arguments: [
    "png/chelsea.png", "webp/denali.webp", "gif/CLP00002.GIF", "tiff/001.tif", "raw/test.dng", "video/hello.avi",
    "video/video_mkv.mkv",
    "video/small.webm", "video/video_rotate.mp4",
  ])
  func `garbage after the end of a file is no truncation`(name: String) throws {
    for rubbish in [Data(count: 700), Data("appended by some program; ".utf8)] {
      #expect(
        !(try problems(MediaWorker.photo(name) + rubbish)).contains(
          .truncated))
    }
  }

  @Test func `a recording without a stored length counts as complete`() throws {
    var webm = try MediaWorker.photo("video/small.webm")
    let segment = try #require(webm.range(of: Data([0x18, 0x53, 0x80, 0x67])))
    webm.replaceSubrange(
      segment.upperBound..<(segment.upperBound + 8), with: [0x01] + [UInt8](repeating: 0xff, count: 7))
    #expect(!(try problems(webm)).contains(.truncated))
    for unknown in [0, UInt32.max] {
      var avi = try MediaWorker.photo("video/hello.avi")
      avi.replaceSubrange(4..<8, with: little(unknown))
      #expect(!(try problems(avi)).contains(.truncated))
    }
  }

  @Test func `a GIF without its trailer has all its pictures`() throws {
    let whole = try MediaWorker.photo("gif/CLP00002.GIF")
    try #require(whole.last == UInt8(ascii: ";"))
    #expect(try problems(Data(whole.dropLast())).isEmpty)
    #expect(try problems(Data(whole.dropLast(2))).contains(.truncated))
  }

  @Test func `a truncated TIFF of several strips is detected despite a leading directory`() throws {
    // Two strips, each a grey row of 400 pixels, after a directory of nine entries and its two
    // lists.
    let lists: UInt32 = 8 + 2 + 9 * 12 + 4
    let pixels = lists + 16
    func entry(_ tag: UInt16, _ kind: UInt16, _ count: UInt32, _ value: UInt32) -> [UInt8] {
      [UInt8(tag & 255), UInt8(tag >> 8), UInt8(kind), 0] + little(count) + little(value)
    }
    let entries = [
      entry(256, 4, 1, 400), entry(257, 4, 1, 2), entry(258, 3, 1, 8), entry(259, 3, 1, 1), entry(262, 3, 1, 1),
      entry(273, 4, 2, lists),
      entry(277, 3, 1, 1), entry(278, 4, 1, 1), entry(279, 4, 2, lists + 8),
    ]
    // Some writers state a too large size for the last strip.
    for stated: UInt32 in [400, 4_000] {
      let list = little(pixels) + little(pixels + 400) + little(400) + little(stated)
      let tiff = Data(
        [0x49, 0x49, 42, 0] + little(8) + [9, 0] + entries.joined() + little(0) + list
          + [UInt8](repeating: 90, count: 800))
      #expect(try problems(tiff).isEmpty)
      #expect(try problems(Data(tiff.dropLast(1))).contains(.truncated))
      #expect(try problems(Data(tiff.dropLast(500))).contains(.truncated))
    }
  }
}
