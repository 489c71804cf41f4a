import Foundation
import MediaClient
import Testing
import UnixSocket

@Suite(.enabled(if: MediaWorker.hasPhotos, MediaWorker.noPhotos))
struct PrivacyTests {
  /// Markers at the start of metadata, and words from the photos' own metadata.
  private static let traces = [
    "Exif", "ns.adobe.com", "ICC_PROFILE", "Photoshop 3.0", "http", "EXIF", "XMP ", "GPS", "Apple", "Canon", "Google",
    "Pixel", "MPF\0",
  ]

  @Test func `no thumbnail of any photo contains metadata`() throws {
    let client = MediaClient(programs: MediaWorker.folder)
    var made = 0
    for row in try ManifestRow.all() where row["class"] != "sidecar" {
      let file = try MediaWorker.sealed(MediaWorker.photo(row.file))
      for encoding in [ThumbnailRequest.Encoding.jpeg, .webp] where encoding == .jpeg || row["bytes"].count < 6 {
        do {
          let bytes = try MediaWorker.bytes(
            of: client.thumbnail(of: file, .init(width: 160, height: 160, encoding: encoding)))
          made += 1
          for trace in Self.traces {
            #expect(bytes.range(of: Data(trace.utf8)) == nil, "\(row.file) \(encoding): \(trace)")
          }
        } catch let error as MediaError {
          #expect(error.code == .refused, "\(row.file)")
          #expect(row["class"] == "hostile", "\(row.file): \(error)")
        }
      }
    }
    #expect(made > 150)
  }

  @Test func `the search finds planted metadata in an original`() throws {
    let original = try MediaWorker.photo("gps/IMG_6263.jpg")
    let found = Self.traces.filter { original.range(of: Data($0.utf8)) != nil }
    #expect(found.contains("Exif") && found.contains("ns.adobe.com"))
  }

  @Test func `coordinates planted as raw numbers do not reach the thumbnail`() throws {
    // 4294967291/97: a rational that no encoder writes by chance, in both byte orders.
    let planted: [UInt8] = [0xff, 0xff, 0xff, 0xfb, 0, 0, 0, 97]
    var photo = try MediaWorker.photo("gps/mongolia.jpeg")
    let latitude = try #require(photo.range(of: Data("Exif\0\0".utf8)))
    photo.replaceSubrange(latitude.upperBound + 60..<latitude.upperBound + 68, with: planted)
    let client = MediaClient(programs: MediaWorker.folder)
    let bytes = try MediaWorker.bytes(
      of: client.thumbnail(of: MediaWorker.sealed(photo), .init(width: 300, height: 300)))
    #expect(bytes.range(of: Data(planted)) == nil)
    #expect(bytes.range(of: Data(planted.reversed())) == nil)
  }

  @Test func `errors repeat nothing from a photo`() throws {
    let client = MediaClient(programs: MediaWorker.folder)
    var photo = try MediaWorker.photo("damaged/truncated2.jpg")
    photo.append(Data("canary-7f3a".utf8))
    let error = try #require(try MediaWorker.refusal(client, photo))
    #expect(!error.description.contains("canary") && !error.description.contains("Canon"))
    #expect(error.problem == .unsupported)
  }
}
