import Foundation
import Glibc
import MediaClient
import Testing
import UnixSocket

@Suite(.enabled(if: MediaWorker.isBuilt, MediaWorker.noWorker))
struct HostileFileTests {
  let client = MediaClient(programs: MediaWorker.folder)

  /// Returns a PNG whose header claims this size, with one row of pixels.
  private func png(_ width: UInt32, _ height: UInt32) -> Data {
    func big(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
      let body = Array(type.utf8) + content
      var crc: UInt32 = .max
      for byte in body {
        crc ^= UInt32(byte)
        for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 1 ? 0xedb8_8320 : 0) }
      }
      return big(UInt32(content.count)) + body + big(~crc)
    }
    let header = chunk("IHDR", big(width) + big(height) + [8, 2, 0, 0, 0])
    return Data(
      [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10] + header + chunk("IDAT", [0x78, 0x9c, 3, 0, 0, 0, 0, 1])
        + chunk("IEND", []))
  }

  @Test func `a picture over 100 megapixels has no thumbnail, by its header`() throws {
    _ = try? client.facts(of: MediaWorker.sealed(Data([1])))
    let start = ContinuousClock.now
    #expect(try MediaWorker.refusal(client, png(60_000, 60_000))?.problem == .tooLarge)
    #expect(try MediaWorker.refusal(client, png(10_001, 10_000))?.problem == .tooLarge)
    #expect(ContinuousClock.now - start < .seconds(10))
    let facts = try client.facts(of: MediaWorker.sealed(png(10_001, 10_000)))
    #expect(facts.problems.contains(.tooLarge))
    #expect(try client.facts(of: MediaWorker.sealed(png(10_000, 10_000))).problems.isEmpty)
  }

  @Test func `empty files, zeros and text are neither a photo nor a video`() throws {
    for data in [Data(), Data(count: 4_000), Data("hello".utf8)] {
      let facts = try client.facts(of: MediaWorker.sealed(data))
      #expect(facts.kind == .unknown && facts.problems.contains(.unreadable))
      #expect(try MediaWorker.refusal(client, data)?.code == .refused)
    }
  }

  @Test(.enabled(if: MediaWorker.hasPhotos, MediaWorker.noPhotos))
  func `damaged bytes in every format leave the client synchronized`() throws {
    var random = SplitMix(seed: 20)
    let names = [
      "gps/mongolia.jpeg", "heic/test.heic", "avif/paris_icc_exif_xmp.avif", "tiff/001.tif", "webp/denali.webp",
      "png/chelsea.png",
      "raw/test.dng", "video/hello.3gp", "video/small.webm", "gif/CLP00002.GIF", "motion/sample_MP.heic",
    ]
    for name in names {
      let whole = try MediaWorker.photo(name)
      for _ in 0..<8 {
        var data = whole
        for _ in 0..<20 {
          data[Int(random.next() % UInt64(min(data.count, 4_096)))] = UInt8(truncatingIfNeeded: random.next())
        }
        let file = try MediaWorker.sealed(data)
        do { _ = try client.facts(of: file) } catch {
          #expect(error.code == .poison, "\(name): \(error)")
        }
        do { _ = try client.thumbnail(of: file, .init(width: 64, height: 64)) } catch {
          #expect(error.code == .refused || error.code == .poison, "\(name): \(error)")
        }
      }
    }
    #expect(
      try client.facts(of: MediaWorker.sealed(MediaWorker.photo("png/exif.png"))).problems.isEmpty
    )
  }
}

/// A seeded generator, so that a failure can be repeated.
struct SplitMix {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
