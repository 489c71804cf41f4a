import Foundation
import Glibc
import MediaClient
import PhotoModel
import Testing
import UnixSocket

@Suite(.enabled(if: MediaWorker.hasPhotos, MediaWorker.noPhotos))
struct FactsTests {
  let client = MediaClient(programs: MediaWorker.folder)

  private func facts(_ name: String, sidecar: String? = nil) throws -> MediaFacts {
    let file = try MediaWorker.sealed(MediaWorker.photo(name))
    guard let sidecar else { return try client.facts(of: file) }
    return try client.facts(of: file, sidecar: MediaWorker.sealed(MediaWorker.photo(sidecar)))
  }

  @Test func `photos taken around the world within four minutes sort by their moment`() throws {
    let folder = "dates/4MinsAroundTheWorld/"
    let order = [
      "UTC-20240413-203430-Auckland", "UTC-20240413-203530-Montevideo", "UTC-20240413-203531-Kathmandu",
      "UTC-20240413-203630-London",
      "UTC-20240413-203720-Tokyo", "UTC-20240413-203730-Reykjavik", "UTC-20240413-203830-NewYork",
    ]
    let moments = try order.map {
      let date = try #require(try facts(folder + $0 + ".jpg").date)
      return date.localTimestamp.microseconds - Int64(date.offsetMinutes ?? 345) * 60_000_000
    }
    #expect(moments == moments.sorted())
    #expect(moments.first == 1_713_040_470_000_000)
    let unknown = try #require(try facts(folder + "20240413-203800-Unknown.jpg").date)
    #expect(unknown.origin == .libraryZone)
    #expect(unknown.offsetMinutes == nil)
  }

  @Test func `an offset is derived from the GPS time`() throws {
    for (name, offset) in [
      ("gps/coffee-sf.jpg", -420), ("heic/IMG_2682.heic", -300), ("gps/IMG_20180725_163423-tiny.jpg", 120),
    ] {
      let date = try #require(try facts(name).date)
      #expect(date.offsetMinutes == offset && date.origin == .gps, "\(name)")
    }
    // This drone's satellite time is hours old, so no real offset explains the difference.
    #expect(try facts("gps/issue-exifr-13.jpg").date?.offsetMinutes == nil)
  }

  @Test func `the offset of a later change is not mistaken for the capture's`() throws {
    #expect(try facts("dates/before_epoch.jpg").date?.offsetMinutes == nil)
  }

  @Test func `zero and ambiguous dates count as none, and an empty GPS block as no place`() throws {
    #expect(try facts("dates/date_error.JPG").date == nil)
    #expect(try facts("dates/verizon.jpg").date == nil)
    #expect(try facts("video/sample_android_slow_motion.mp4").date == nil)
    #expect(try facts("gps/empty_gps.jpg").location == nil)
  }

  @Test func `a Live Photo's still and movie share an identifier, a burst's frames theirs`() throws {
    let still = try facts("live/IMG_7943.HEIC")
    #expect(still.liveIdentifier == "9B539AB8-A668-4FA6-9207-EB653A5E7E3C")
    #expect(try facts("live/IMG_7943_HEVC.MOV").liveIdentifier == still.liveIdentifier)
    #expect(still.subtypes.contains(.livePhoto))
    let frame = try facts("burst/IMG_3606.JPG")
    #expect(try facts("burst/IMG_3607.JPG").burstIdentifier == frame.burstIdentifier)
    #expect(frame.burstIdentifier != nil && frame.subtypes.contains(.burst))
  }

  @Test func `a motion photo is one only with its movie`() throws {
    for name in [
      "motion/pixel-motion-photo-shortened.jpg", "motion/ss-motion-photo-shortened.jpg", "motion/sample_MP.heic",
    ] {
      let range = try #require(try facts(name).motionMovie, "\(name)")
      let bytes = try MediaWorker.photo(name)
      let movie = bytes[Int(range.lowerBound)..<Int(range.upperBound)]
      #expect(movie.dropFirst(4).prefix(4) == Data("ftyp".utf8), "\(name)")
    }
    #expect(try facts("motion/google_motion_photo_broken.jpg").motionMovie == nil)
    #expect(try facts("motion/pixel-motion-photo-video-removed-shortened.jpg").subtypes.contains(.motionPhoto) == false)
  }

  @Test func `a sidecar overrides exactly its stated facts`() throws {
    let alone = try facts("sidecar/IMG_5910.jpg")
    let both = try facts("sidecar/IMG_5910.jpg", sidecar: "sidecar/IMG_5910.jpg.xmp")
    #expect(alone.rating == 3 && both.rating == 4)
    #expect(alone.keywords.contains("Berkley") && !both.keywords.contains("Berkley") && both.keywords.contains("test"))
    #expect(both.size == alone.size && both.orientation == alone.orientation)
    let video = try facts("sidecar/20240128_105420.mp4", sidecar: "sidecar/20240128_105420.mp4.xmp")
    #expect(video.location != nil && video.rating == 3 && video.keywords == ["Travel"])
    #expect(try facts("sidecar/metadata_v2.jpg", sidecar: "png/exif.png").problems == [.sidecarDamaged])
  }

  /// Returns a photo's facts with a sidecar that has only these properties of `exif`, `xmp` and
  /// `photoshop`.
  private func facts(_ name: String, stating properties: String) throws -> MediaFacts {
    let sidecar = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description rdf:about=""
      xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
      xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" \(properties)/></rdf:RDF></x:xmpmeta>
      """
    return try client.facts(
      of: MediaWorker.sealed(MediaWorker.photo(name)),
      sidecar: MediaWorker.sealed(Data(sidecar.utf8)))
  }

  @Test(arguments: ["gps/coffee-sf.jpg", "dates/4MinsAroundTheWorld/UTC-20240413-203720-Tokyo.jpg"])
  func `a sidecar's date without an offset keeps the file's offset`(name: String) throws {
    let own = try #require(try facts(name).date)
    #expect(own.source == .original && own.offsetMinutes != nil)
    func text(_ value: Int, _ digits: Int = 2) -> String {
      String(repeating: "0", count: max(0, digits - "\(value)".count)) + "\(value)"
    }
    let day = "\(text(own.year, 4))-\(text(own.month))-\(text(own.day))"
    let same = "\(day)T\(text(own.hour)):\(text(own.minute)):\(text(own.second))"
    func stated(_ properties: String) throws -> CaptureDate { try #require(try facts(name, stating: properties).date) }
    let kept = try stated("exif:DateTimeOriginal=\"\(same)\"")
    #expect(
      kept.localTimestamp == own.localTimestamp && kept.offsetMinutes == own.offsetMinutes && kept.origin == own.origin)
    let moved = try stated("exif:DateTimeOriginal=\"1999-02-03T04:05:06\"")
    #expect(moved.year == 1999 && moved.offsetMinutes == own.offsetMinutes && moved.origin == own.origin)
    let offset = try stated("exif:DateTimeOriginal=\"1999-02-03T04:05:06+05:00\"")
    #expect(offset.offsetMinutes == 300 && offset.offsetSource == .tag)
    for weaker in [
      "xmp:CreateDate=\"2025-01-02T03:04:05\"", "exif:DateTimeDigitized=\"2025-01-02T03:04:05\"",
      "photoshop:DateCreated=\"\(day)\"",
    ] {
      #expect(try stated(weaker) == own, "\(weaker)")
    }
    #expect(try stated("photoshop:DateCreated=\"1999-02-03\"").day == 3)
  }

  @Test(arguments: [
    ("1987", 1), ("1987-05", 5), ("1987:05", 5), (" 1987 ", 1), ("1987-00-00T00:00:00Z", 1), ("1987-05-00", 5),
  ])
  func `a year or month alone is its first instant, and partial`(stated: String, month: Int) throws {
    let found = try facts("dates/verizon.jpg", stating: "photoshop:DateCreated=\"\(stated)\"").date
    let date = try #require(found)
    #expect((date.year, date.month, date.day, date.hour, date.isPartial) == (1987, month, 1, 0, true))
    #expect(date.origin == .partial && date.offsetMinutes == nil)
  }

  @Test(arguments: ["0000", "0000-05", "1987-13", "1987-00-07", "1987-05-00T12:00:00", "987", "19870", "year"])
  func `an impossible partial date is none`(stated: String) throws {
    #expect(try facts("dates/verizon.jpg", stating: "photoshop:DateCreated=\"\(stated)\"").date == nil)
  }

  @Test func `a partial date overrides another year, and no date within it`() throws {
    let name = "gps/coffee-sf.jpg"
    let own = try #require(try facts(name).date)
    #expect(try facts(name, stating: "photoshop:DateCreated=\"\(own.year)\"").date == own)
    #expect(try facts(name, stating: "photoshop:DateCreated=\"1987\"").date?.isPartial == true)
  }

  @Test(
    arguments: [
      ("43.5", "79.25", "N", "W", 43.5, -79.25), ("43.5", "79.25", " south", "e", -43.5, 79.25),
      ("-43.5", "-79.25", "S", "W", -43.5, -79.25), ("43.5", "-79.25", "", "", 43.5, -79.25),
      ("43,30S", "79,15,0w", "N", "E", -43.5, -79.25), ("-43,30", "79,15", "", "", -43.5, 79.25),
      ("43/1,30/1,0/1", "79/1 15/1 0/0", "N", "W", 43.5, -79.25),
    ] as [(String, String, String, String, Double, Double)])
  func `the side of an XMP position is a letter, a sign or a property of its own`(
    latitude: String, longitude: String, north: String, east: String, expectedNorth: Double, expectedEast: Double
  ) throws {
    let stated = """
      exif:GPSLatitude="\(latitude)" exif:GPSLongitude="\(longitude)" exif:GPSLatitudeRef="\(north)"
      exif:GPSLongitudeRef="\(east)"
      """
    let place = try facts("dates/verizon.jpg", stating: stated).location
    #expect(place == GeoPoint(latitude: expectedNorth, longitude: expectedEast))
  }

  @Test(arguments: [("nan", "79", "N", "W"), ("43/0", "79", "N", "W"), ("43", "79", "X", "W"), ("143", "79", "N", "W")])
  func `an impossible XMP position is none`(latitude: String, longitude: String, north: String, east: String) throws {
    let stated = """
      exif:GPSLatitude="\(latitude)" exif:GPSLongitude="\(longitude)" exif:GPSLatitudeRef="\(north)"
      exif:GPSLongitudeRef="\(east)"
      """
    #expect(try facts("dates/verizon.jpg", stating: stated).location == nil)
  }

  /// Digests are stored. These were computed by libavutil, for pictures that end inside a block of
  /// the hash, at its end, and in a second read.
  @Test(arguments: [
    (4, "f705e7fe19c2bde68af915012e6cf329"), (5, "66ac37a6d03d951354d6cabca4d1a7c7"),
    (20, "e38b79214f27f39e21b8b091c8631dfe"), (1_000, "2e51d4605b0a5b9a981cb4f4911a5eee"),
    (65_540, "bdb36824b4c2740f287b2f67d1ceb3d4"),
  ])
  func `a picture's digest stays the same`(byteCount: Int, digest: String) throws {
    let scan = Data((0..<byteCount - 2).map { UInt8($0 % 251) })
    let facts = try client.facts(of: MediaWorker.sealed(Data([0xff, 0xd8, 0xff, 0xda]) + scan))
    #expect(facts.picture?.map { String(format: "%02x", $0) }.joined() == digest)
  }

  @Test func `subtypes come from the content`() throws {
    #expect(try facts("motion/seine_sdr_gainmap_srgb.jpg").subtypes.contains(.hdr))
    #expect(try facts("video/dolbyVision-hdr.MOV").subtypes.contains(.hdr))
    #expect(try facts("video/sample_android_slow_motion.mp4").subtypes.contains(.highFrameRate))
    #expect(try facts("raw/CRW_0305.CRW").subtypes == .raw)
    #expect(try facts("webp/test.webp").subtypes == .animated)
    #expect(try facts("heic/zPug_3.heic").subtypes == [])
  }

  @Test func `an input other than a sealed memory file is read as well`() throws {
    let path = MediaWorker.photos.appendingPathComponent("gps/mongolia.jpeg").path
    let number = open(path, O_RDONLY | O_CLOEXEC)
    try #require(number >= 0)
    let file = FileDescriptor(owning: number)
    #expect(try client.facts(of: file).model == "NIKON D5000")
  }
}
