import Foundation
import MediaClient
import Testing
import UnixSocket

@Suite(.enabled(if: MediaWorker.hasPhotos, MediaWorker.noPhotos))
struct OrientationTests {
  let client = MediaClient(programs: MediaWorker.folder)

  private func size(_ name: String, box: Int = 320) throws -> [Int] {
    let thumbnail = try client.thumbnail(
      of: MediaWorker.sealed(MediaWorker.photo(name)), .init(width: box, height: box))
    return [thumbnail.width, thumbnail.height]
  }

  @Test func `the same picture stored in all eight orientations gives one thumbnail`() throws {
    var thumbnails: Set<Data> = []
    for orientation in 1...8 {
      let file = try MediaWorker.sealed(MediaWorker.photo("orientation/f\(orientation)-exif.jpg"))
      #expect(try client.facts(of: file).size == .init(width: 40, height: 80))
      #expect(try client.facts(of: file).orientation == orientation)
      thumbnails.insert(try MediaWorker.bytes(of: client.thumbnail(of: file, .init(width: 100, height: 100))))
    }
    #expect(thumbnails.count == 1)
  }

  @Test func `a HEIC whose EXIF repeats its irot is turned once`() throws {
    let file = try MediaWorker.sealed(MediaWorker.photo("heic/IMG_8062.HEIC"))
    let facts = try client.facts(of: file)
    #expect(facts.size == .init(width: 3024, height: 4032))
    #expect(facts.codedSize == .init(width: 4032, height: 3024))
    #expect(facts.orientation == 6)
    #expect(try size("heic/IMG_8062.HEIC") == [240, 320])
  }

  @Test func `an AVIF without EXIF is turned by its irot`() throws {
    #expect(try size("avif/abc_color_irot_alpha_irot.avif") == [160, 320])
  }

  @Test func `a video's poster frame is turned by the track's matrix`() throws {
    #expect(try size("video/dolbyVision-hdr.MOV") == [180, 320])
    #expect(try size("video/video_rotate.mp4") == [60, 80])
  }

  @Test func `a raw file's preview is turned by the raw file's orientation`() throws {
    #expect(try size("raw/test.dng") == [240, 320])
  }

  @Test func `a thumbnail fits or fills its box and never grows`() throws {
    let photo = try MediaWorker.sealed(MediaWorker.photo("gps/mongolia.jpeg"))
    for (request, expected) in [
      (ThumbnailRequest(width: 100, height: 100), [100, 66]),
      (ThumbnailRequest(width: 100, height: 100, mode: .fill), [100, 100]),
      (ThumbnailRequest(width: 2560, height: 2560, encoding: .webp), [1280, 850]),
      (ThumbnailRequest(width: 1, height: 1), [1, 1]),
    ] {
      let thumbnail = try client.thumbnail(of: photo, request)
      #expect([thumbnail.width, thumbnail.height] == expected)
    }
  }

  @Test func `a thumbnail of 2,560 pixels is made, and a larger one is refused`() throws {
    #expect(try size("burst/IMG_3606.JPG", box: 2560) == [2560, 1920])
    let refusal = try MediaWorker.refusal(client, Data([0]), .init(width: 2561, height: 10))
    #expect(refusal?.code == .invalidRequest)
  }
}
