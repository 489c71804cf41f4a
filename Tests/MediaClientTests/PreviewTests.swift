import Foundation
import MediaClient
import Testing
import UnixSocket

@Suite(.enabled(if: MediaWorker.hasPhotos, MediaWorker.noPhotos))
struct PreviewTests {
  private static func bytes(of preview: borrowing Preview) throws -> Data {
    var bytes = Data(count: preview.byteCount)
    let number = preview.descriptor.number
    let count = bytes.withUnsafeMutableBytes { pread(number, $0.baseAddress, $0.count, 0) }
    try #require(count == preview.byteCount)
    return bytes
  }

  @Test func `every video has an upright, small preview of full length`() throws {
    let client = MediaClient(programs: MediaWorker.folder)
    var made = 0
    for row in try ManifestRow.all() where row["class"] == "video" {
      let file = try MediaWorker.sealed(MediaWorker.photo(row.file))
      let original = try client.facts(of: file)
      let preview = try client.preview(of: file)
      let facts = try client.facts(of: MediaWorker.sealed(Self.bytes(of: preview)))
      made += 1
      #expect(facts.mimeType == "video/webm" && facts.problems.isEmpty, "\(row.file): \(facts)")
      let size = try #require(facts.size), before = try #require(original.size)
      #expect(max(size.width, size.height) <= 640, "\(row.file)")
      #expect((size.width > size.height) == (before.width > before.height), "\(row.file): \(before) became \(size)")
      let length = try #require(facts.duration), wanted = min(.seconds(60), original.duration ?? .zero)
      #expect(
        length - wanted < .milliseconds(400) && wanted - length < .milliseconds(400),
        "\(row.file): \(length) of \(wanted)")
      #expect(.milliseconds(preview.milliseconds) - length < .milliseconds(400), "\(row.file)")
    }
    #expect(made >= 8)
  }

  @Test func `a preview contains no metadata of its video`() throws {
    let client = MediaClient(programs: MediaWorker.folder)
    for name in ["live/IMG_7943_HEVC.MOV", "video/dolbyVision-hdr.MOV", "video/small.webm", "video/P1000244.MOV"] {
      let bytes = try Self.bytes(of: client.preview(of: MediaWorker.sealed(MediaWorker.photo(name))))
      // At least five letters each: a coded picture contains a shorter word by chance in some runs.
      for trace in ["Apple", "iPhone", "com.apple", "location", "Panasonic", "Handler"] {
        #expect(bytes.range(of: Data(trace.utf8)) == nil, "\(name): \(trace)")
      }
    }
  }

  @Test func `exactly the requested length is made, and the same each time`() throws {
    let client = MediaClient(programs: MediaWorker.folder)
    let file = try MediaWorker.sealed(MediaWorker.photo("video/small.webm"))
    let request = PreviewRequest(pixels: 120, seconds: 1)
    let first = try client.preview(of: file, request)
    #expect(max(first.width, first.height) == 120 && (800...1_100).contains(first.milliseconds))
    #expect(try Self.bytes(of: first) == Self.bytes(of: client.preview(of: file, request)))
  }

  @Test func `a file that is not a video has no preview, and the worker continues`() throws {
    let client = MediaClient(programs: MediaWorker.folder)
    for name in ["png", "heic"].compactMap({ kind in
      try? ManifestRow.all().first { $0.file.hasPrefix(kind + "/") }?.file
    }) {
      let file = try MediaWorker.sealed(MediaWorker.photo(name))
      do throws(MediaError) {
        _ = try client.preview(of: file)
        Issue.record("\(name) has a preview")
      } catch { #expect(error.code == .refused) }
    }
    let cut = try MediaWorker.photo("video/video_rotate.mp4").prefix(3_000)
    let file = try MediaWorker.sealed(Data(cut))
    do throws(MediaError) { _ = try client.preview(of: file) } catch { #expect(error.code == .refused) }
    let intact = try MediaWorker.sealed(MediaWorker.photo("video/hello.3gp"))
    #expect(try client.preview(of: intact).byteCount > 0)
  }
}
