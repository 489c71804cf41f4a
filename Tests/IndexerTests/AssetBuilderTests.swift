import Broker
import Catalogue
import Foundation
import Indexer
import PhotoModel
import Testing

struct AssetBuilderTests {
  private let added = Timestamp(seconds: 1_600_000_000)!
  private func builder(zone: Int32 = 60) -> AssetBuilder { AssetBuilder(zone: .fixed(minutes: zone), now: added) }

  private func facts(
    _ seconds: Int64? = nil, microseconds: Int32 = 0, offset: Int32? = nil, origin: DateOrigin = .offset
  ) -> ItemFacts {
    var facts = ItemFacts(mediaType: .image, contentType: "image/jpeg")
    facts.capture = seconds.map {
      ItemFacts.Capture(localSeconds: $0, microseconds: microseconds, offsetMinutes: offset, origin: origin)
    }
    return facts
  }

  private func date(_ facts: ItemFacts, zone: Int32 = 60) -> (Timestamp?, DateOrigin?) {
    let row = builder(zone: zone).record(item("a.jpg"), facts: facts, proof: nil).row
    return (row.creationDate, row.dateOrigin)
  }

  @Test func `a date with an offset is exact to the microsecond`() {
    #expect(
      date(facts(1_000_000, microseconds: 250_000, offset: 120)) == (Timestamp(microseconds: 992_800_250_000), .offset))
    #expect(date(facts(1_000_000, offset: -210)) == (Timestamp(seconds: 1_012_600), .offset))
  }

  @Test func `an offset derived from GPS time is marked as such`() {
    #expect(date(facts(1_000_000, offset: 60, origin: .gps)) == (Timestamp(seconds: 996_400), .gps))
  }

  @Test func `a date without an offset is in the library's zone, whatever its stated origin`() {
    #expect(date(facts(1_000_000, origin: .gps)) == (Timestamp(seconds: 996_400), .libraryZone))
    #expect(date(facts(1_000_000), zone: -120) == (Timestamp(seconds: 1_007_200), .libraryZone))
  }

  @Test func `the local time is kept if the files state it`() {
    func zone(_ facts: ItemFacts) -> Int16? {
      builder().record(item("a.jpg"), facts: facts, proof: nil).row.zoneMinutes
    }
    #expect(zone(facts(1_000_000, offset: 345)) == 345)
    #expect(zone(facts(1_000_000, offset: -210, origin: .gps)) == -210)
    #expect(zone(facts(1_000_000)) == 60, "the library's, by which it is dated")
    #expect(zone(facts()) == nil)
    var film = facts(1_000_000, offset: 0)
    film.capture?.isLocal = false
    #expect(zone(film) == nil, "films count in UTC wherever they are made")
  }

  @Test func `R146 only dates of the library's zone follow a change of zone`() {
    func redated(_ facts: ItemFacts) -> AssetRow {
      builder(zone: 540).updated(
        builder(zone: 60).record(item("a.jpg"), facts: facts, proof: nil), item("a.jpg"), facts: nil, proof: nil
      )
      .row
    }
    let row = redated(facts(1_000_000, microseconds: 250_000))
    #expect(
      row.creationDate == Timestamp(microseconds: 967_600_250_000) && row.dateOrigin == .libraryZone
        && row.zoneMinutes == 540)
    #expect(redated(facts(-1_000, microseconds: 1)).creationDate == Timestamp(microseconds: -33_399_999_999))
    #expect(redated(facts(1_000_000, offset: 120)).creationDate == Timestamp(seconds: 992_800))
    #expect(redated(facts()).creationDate == Timestamp(seconds: 1_500_000_000))
  }

  /// A row whose place is nine hours east of UTC, in a library of this zone.
  private func placed(_ facts: ItemFacts, zone: ZoneRules = .fixed(minutes: 60)) -> AssetRecord {
    var facts = facts
    facts.location = GeoPoint(latitudeE7: 1, longitudeE7: 2)
    return AssetBuilder(zone: zone, now: added, offsetAtPlace: { _, _ in 540 })
      .record(item("a.jpg"), facts: facts, proof: nil)
  }

  @Test func `R150 a date from a place or from GPS time has a shift to the library's zone`() throws {
    // 1970-01-12T13:46:40 at the place.
    let row = placed(facts(1_000_000)).row
    #expect((row.creationDate, row.dateOrigin) == (Timestamp(seconds: 967_600), .place))
    #expect(row.placeShiftMinutes == 480)
    #expect((row.facts.dateWithoutPlace, row.facts.dateOriginWithoutPlace) == (date(facts(1_000_000)).0, .libraryZone))
    #expect(placed(facts(1_000_000, offset: -210, origin: .gps)).row.placeShiftMinutes == -270)
    #expect(placed(facts(1_000_000, offset: -210)).row.placeShiftMinutes == 0, "the camera's own offset")
    #expect(placed(facts(536_457_600, origin: .partial)).row.placeShiftMinutes == 0)
    #expect(placed(facts()).row.placeShiftMinutes == 0)
    var film = facts(1_000_000, offset: 60, origin: .gps)
    film.capture?.isLocal = false
    #expect(placed(film).row.placeShiftMinutes == 0)
    #expect(
      placed(facts(-62_135_596_800 + 60), zone: .fixed(minutes: 600)).row.placeShiftMinutes == 0,
      "the library's zone gives a date before the year 1")
  }

  @Test func `R150 the shift counts in the library's zone at the local time`() throws {
    let zurich = try #require(
      ZoneRules(file: [UInt8](Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/Europe/Zurich")))))
    // 2024-07-03T12:00 and 2024-01-03T12:00.
    #expect(placed(facts(1_720_008_000), zone: zurich).row.placeShiftMinutes == 420)
    #expect(placed(facts(1_704_283_200), zone: zurich).row.placeShiftMinutes == 480)
  }

  @Test(arguments: [DateOrigin.place, .gps])
  func `R150 R146 a change of the library's zone changes the shift, not the date`(_ origin: DateOrigin) {
    let known = placed(facts(1_000_000, offset: origin == .gps ? 540 : nil, origin: origin))
    let moved = builder(zone: -120).updated(known, item("a.jpg"), facts: nil, proof: nil).row
    var expected = known.row
    expected.placeShiftMinutes = 660
    #expect(moved == expected && moved.dateOrigin == origin)
    #expect(moved.facts.dateWithoutPlace == date(facts(1_000_000), zone: -120).0)
    #expect(builder().updated(known, item("a.jpg"), facts: nil, proof: nil).row == known.row)
  }

  @Test func `without a date the file's time counts`() {
    #expect(date(facts()) == (Timestamp(seconds: 1_500_000_000), .file))
  }

  @Test(arguments: [Int64.min, .min / 1_000_000 - 1, .max, .max / 1_000_000 + 10_000_000])
  func `an impossible date counts as none`(_ seconds: Int64) {
    for offset in [Int32.min, -1, 0, 1, .max, nil] {
      let (date, origin) = date(facts(seconds, microseconds: .max, offset: offset))
      // A huge offset can bring the date back into range, so only consistency is checked.
      #expect(origin == .file ? date == Timestamp(seconds: 1_500_000_000) : date != nil)
    }
    #expect(date(facts(seconds, offset: 0)) == (Timestamp(seconds: 1_500_000_000), .file))
  }

  @Test func `the year 1 is valid, the year 9999 is doubted, and dates beyond count as none`() {
    for seconds: Int64 in [-62_135_596_800, 253_402_300_799] {
      let isPast = seconds < 0
      #expect(
        date(facts(seconds, offset: 0))
          == (Timestamp(seconds: isPast ? seconds : 1_500_000_000), isPast ? .offset : .doubted))
      let beyond = seconds < 0 ? seconds - 1 : seconds + 1
      #expect(date(facts(beyond, offset: 0)) == (Timestamp(seconds: 1_500_000_000), .file))
      let row = builder().record(old("a.jpg", modified: beyond), facts: facts(), proof: nil).row
      #expect(row.creationDate == nil && row.dateOrigin == nil)
      #expect(row.modificationDate.microseconds / 1_000_000 == seconds, "the nearest that can be told")
      #expect(date(of: old("a.jpg", modified: beyond), facts(1_000, offset: 0)) == Timestamp(seconds: 1_000))
    }
    #expect(
      date(facts(.max / 1_000_000, microseconds: 999_999, offset: 0)).0 == Timestamp(seconds: 1_500_000_000), "no trap")
  }

  @Test func `a date in the future is doubted, and no future time heads a list`() {
    let later = AssetBuilder(zone: .fixed(minutes: 0), now: Timestamp(seconds: 1_800_000_000)!)
    func date(_ name: String, _ seconds: Int64?, modified: Int64 = 1_500_000_000) -> (Timestamp?, DateOrigin?) {
      let row = later.record(old(name, modified: modified), facts: facts(seconds, offset: 0), proof: nil).row
      return (row.creationDate, row.dateOrigin)
    }
    #expect(date("a.jpg", 1_800_100_000) == (Timestamp(seconds: 1_800_100_000), .offset), "a clock a day ahead")
    #expect(date("a.jpg", 1_800_200_000) == (Timestamp(seconds: 1_500_000_000), .doubted))
    #expect(date("IMG_20190102_031105.jpg", 4_294_967_295) == (Timestamp(seconds: 1_546_398_665), .fileName))
    #expect(date("IMG_21060102_031105.jpg", nil) == (Timestamp(seconds: 1_500_000_000), .file))
    #expect(date("a.jpg", 4_294_967_295, modified: 4_294_967_295) == (nil, nil))
    #expect(self.date(facts(1_767_000_000, offset: 0)).1 == .offset, "although the clock says 2020")
  }

  @Test func `R146 a partial date is its first instant in the library's zone, and follows it`() {
    let year = facts(536_457_600, origin: .partial)
    #expect(date(year) == (Timestamp(seconds: 536_454_000), .partial))
    let record = builder(zone: 60).record(item("a.jpg"), facts: year, proof: nil)
    let moved = builder(zone: 540).updated(record, item("a.jpg"), facts: nil, proof: nil).row
    #expect((moved.creationDate, moved.dateOrigin) == (Timestamp(seconds: 536_425_200), .partial))
    #expect(!year.isSameExposure(as: facts(536_457_600, offset: 0)), "a year proves nothing about two files")
  }

  @Test(
    arguments: [
      ("IMG-20190102-WA0001.jpg", 1_546_387_200), ("Screenshot_20190102-031105.png", 1_546_398_665),
      ("2011-07-19 11.36.39.jpg", 1_311_075_399), ("2011-07-19 11.36.39-1.jpg", 1_311_075_399),
      ("IMG_20190102_031105.jpg", 1_546_398_665), ("VID_20190102_031105123.mp4", 1_546_398_665),
      ("20190102031105.jpg", 1_546_398_665), ("20190102_031105(0)~2.jpg", 1_546_398_665),
      ("signal-2019-01-02-031105.jpg", 1_546_398_665), ("signal-2019-01-02-03-11-05-123.jpg", 1_546_398_665),
      ("photo_2019-01-02_03-11-05.jpg", 1_546_398_665), ("2019-01-02T03:11:05Z.jpg", 1_546_398_665),
      ("WhatsApp Image 2019-01-02 at 03.11.05.jpeg", 1_546_398_665),
      ("Screen Shot 2019-01-02 at 3.11.05 AM.png", 1_546_398_665),
      ("Screen Shot 2019-01-02 at 3.11.05\u{202f}pm.png", 1_546_441_865),
      ("Bildschirmfoto 2019-01-02 um 03.11.05.png", 1_546_398_665),
      ("Captura de pantalla 2019-01-02 a las 3.11.05.png", 1_546_398_665),
      ("Captura de Pantalla 2019-01-02 a la(s) 3.11.05 p. m..png", 1_546_441_865),
      ("Schermata 2019-01-02 alle 03.11.05.png", 1_546_398_665),
      ("2019-01-02 03.11.05 p.mp4", 1_546_398_665), ("2019-01-02 12.11.05 Amsterdam.jpg", 1_546_431_065),
      ("Captura de ecrã 2019-01-02 às 15.11.05.png", 1_546_441_865),
      ("Captura de ecra\u{303} 2019-01-02 a\u{300}s 15.11.05.png", 1_546_441_865),
      ("Capture d’écran 2019-01-02 à 03.11.05.png", 1_546_398_665),
      ("Capture d’e\u{301}cran 2019-01-02 a\u{300} 03.11.05.png", 1_546_398_665),
      ("Schermafbeelding 2019-01-02 om 03.11.05.png", 1_546_398_665),
      ("Снимок экрана 2019-01-02 в 3.11.05.png", 1_546_398_665), ("1987-05-04 Oma.jpg", 547_084_800),
      ("00100lrPORTRAIT_00100_BURST20190102031105123_COVER.jpg", 1_546_398_665),
      ("Screenshot_20190102-031105_App.jpg", 1_546_398_665),
      ("IMG_20190102_256199.jpg", 1_546_387_200), ("2019-01-02 5.jpg", 1_546_387_200),
      ("1 20190102.jpg", 1_546_387_200),
      ("20200229.jpg", 1_582_934_400),
    ] as [(String, Int64)])
  func `a name has its date`(_ name: String, _ seconds: Int64) {
    let row = builder(zone: 60).record(item(name), facts: facts(), proof: nil).row
    #expect((row.creationDate, row.dateOrigin) == (Timestamp(seconds: seconds - 3_600), .fileName))
    #expect(row.zoneMinutes == 60)
  }

  @Test(arguments: [
    "PXL_20190102_031105123.MP.jpg", "FB_IMG_1546398665123.jpg", "1546398665123.jpg", "mmexport1546398665123(1).mp4",
  ]) func `a Pixel phone's name and milliseconds count in UTC`(_ name: String) {
    let row = builder(zone: 60).record(item(name), facts: facts(), proof: nil).row
    #expect((row.creationDate, row.dateOrigin) == (Timestamp(seconds: 1_546_398_665), .fileName))
    #expect(row.zoneMinutes == nil)
  }

  @Test(arguments: [
    "IMG_8943.jpg", "20190230.jpg", "20191301.jpg", "20190002.jpg", "19891231.jpg", "120190102.jpg", "201901021.jpg",
    "2019010203110.jpg", "2019-01_02.jpg", "2019-01-0.jpg", "2019-1-2.jpg", "20210229.jpg", "x", "2019",
    "2019-01-023.jpg", "٢٠١٩٠١٠٢.jpg", "10208643_10153.jpg", "0946398665123.jpg", "154639866512.jpg",
    "15463986651234.jpg", "4006381333931.jpg", "12_1546398665123_3_n.jpg", "1546398665123_3_n.jpg",
  ])
  func `a name without a date leaves the file's time`(_ name: String) {
    let row = builder().record(item(name), facts: facts(), proof: nil).row
    #expect((row.creationDate, row.dateOrigin) == (Timestamp(seconds: 1_500_000_000), .file))
  }

  private func date(of item: StorageItem, _ facts: ItemFacts) -> Timestamp? {
    builder().record(item, facts: facts, proof: nil).row.creationDate
  }

  private func old(_ name: String, modified: Int64) -> StorageItem {
    var item = item(name)
    item.primary.modified = Timestamp(seconds: modified)!
    return item
  }

  @Test(arguments: [false, true]) func `the favourite follows its file until edited`(_ isEdited: Bool) {
    var (rated, unrated) = (facts(), facts())
    (rated.isFavourite, unrated.isFavourite) = (true, false)
    for (first, then) in [(rated, unrated), (unrated, rated)] {
      var known = builder().record(item("a.jpg"), facts: first, proof: nil)
      if isEdited { known.edited = .favourite }
      let now = builder().updated(known, item("a.jpg", version: "2"), facts: then, proof: nil)
      #expect(now.row.flags.contains(.favourite) == (isEdited ? first : then).isFavourite)
      #expect(builder().updated(known, item("b.jpg"), facts: nil, proof: nil).row.flags == known.row.flags)
    }
  }

  @Test func `a record holds the files' facts, the original first`() throws {
    var facts = facts(1_000_000, offset: 0)
    facts.subtypes = [.panorama]
    (facts.width, facts.height, facts.location) = (4_032, 3_024, GeoPoint(latitudeE7: 1, longitudeE7: 2))
    (facts.camera, facts.caption, facts.isFavourite) = ("Maker Model", "words", true)
    let scanned = item(
      "d/a.jpg", hint: "h",
      others: [
        file("d/a.mov", role: .pairedVideo), file("d/a_edited.heic", role: .edited), file("d/a.xmp", role: .sidecar),
      ])
    let record = builder().record(scanned, facts: facts, proof: ContentProof(digest: [1]))
    #expect(record.row.subtypes == [.panorama, .livePhoto, .edited])
    #expect(record.row.flags == .favourite)
    #expect((record.row.width, record.row.height, record.row.fileName) == (4_032, 3_024, "a.jpg"))
    #expect(record.row.addedDate == added && record.row.modificationDate == Timestamp(seconds: 1_500_000_000))
    #expect((record.camera, record.caption) == ("Maker Model", "words"))
    #expect(record.creator == nil && record.edited == [])
    #expect(record.resources.map(\.role) == [.original, .pairedVideo, .edited, .sidecar])
    #expect(
      record.resources.map(\.contentType) == ["image/jpeg", "video/quicktime", "image/heic", "application/rdf+xml"])
    #expect(record.resources.map(\.digest) == [[1], nil, nil, nil])
  }

  @Test func `R45 an asset shared into the library is marked as shared`() {
    var scanned = item("a.jpg")
    scanned.source = .cloudShared
    let record = builder().record(scanned, facts: facts(), proof: nil)
    #expect(record.row.flags == .cloudShared)
    for found in [facts(), nil] {
      let own = builder().updated(record, item("a.jpg"), facts: found, proof: nil)
      #expect(own.row.flags == [], "and no longer when the storage says so")
      #expect(builder().updated(own, scanned, facts: found, proof: nil).row.flags == .cloudShared)
    }
  }

  @Test func `a moved asset keeps its facts, its digest and its dates`() {
    var before = facts(1_000_000, offset: 0)
    before.caption = "words"
    before.contentType = "image/heic"
    let record = builder().record(item("a.jpg", hint: "h"), facts: before, proof: ContentProof(digest: [1]))
    let moved = builder().updated(record, item("x/b.jpg", hint: "h"), facts: nil, proof: nil)
    #expect(moved.resources.map(\.locator) == ["x/b.jpg"] && moved.resources[0].digest == [1])
    #expect(moved.resources[0].contentType == "image/heic")
    var expected = record.row
    expected.fileName = "b.jpg"
    #expect(moved.row == expected && moved.caption == "words")
  }

  @Test func `R95 another file's known bytes are kept until they change, wherever it moves`() {
    let raw = file("a.dng", hint: "r", role: .raw)
    let record = builder().record(
      item("a.jpg", others: [file("a.xmp", role: .sidecar), raw]), facts: facts(), proof: ContentProof(digest: [1]),
      companions: [nil, ContentProof(digest: [2])])
    #expect(record.resources.map(\.digest) == [[1], nil, [2]])
    func digests(_ files: [ItemFile], _ found: ItemFacts?, companions: [ContentProof?] = []) -> [[UInt8]?] {
      let now = item("x/a.jpg", others: files)
      return builder().updated(record, now, facts: found, proof: nil, companions: companions).resources.dropFirst().map(
        \.digest)
    }
    for found in [facts(), nil] {
      #expect(digests([file("x/a.dng", hint: "r", role: .raw)], found) == [[2]])
      #expect(digests([file("x/a.dng", role: .raw)], found) == [[2]], "without anything that stays with it")
      #expect(digests([file("a.mov", role: .pairedVideo)], found) == [nil], "another file of the same size and time")
    }
    for changed in [file("a.dng", hint: "r", version: "2", role: .raw), file("a.dng", hint: "r", size: 9, role: .raw)] {
      #expect(digests([changed], facts()) == [nil])
      #expect(digests([changed], facts(), companions: [ContentProof(digest: [3])]) == [[3]])
    }
    var single = builder().record(item("a.dng", hint: "r"), facts: facts(), proof: ContentProof(digest: [4]))
    single.row.number = AssetNumber(1)
    let joined = builder().updated(
      single, item("a.jpg", hint: "j", others: [raw]), facts: facts(), proof: ContentProof(digest: [1]))
    #expect(joined.resources.map(\.digest) == [[1], [4]], "what was a photo of its own until a JPEG came")
  }

  @Test func `changed bytes lose digest, facts and name, and keep edits`() {
    var before = facts(1_000_000, offset: 0)
    (before.caption, before.camera) = ("old", "Camera")
    var record = builder().record(item("a.jpg"), facts: before, proof: ContentProof(digest: [1]))
    var after = facts(2_000_000, offset: 0)
    after.caption = "new"
    #expect(builder().updated(record, item("a.jpg", version: "2"), facts: after, proof: nil).caption == "new")
    record.edited = [.caption]
    let updated = builder().updated(record, item("a.jpg", version: "2"), facts: after, proof: nil)
    #expect(updated.caption == "old" && updated.camera == nil)
    #expect(updated.resources[0].digest == nil)
    #expect(updated.row.creationDate == Timestamp(seconds: 2_000_000))
    #expect(updated.row.addedDate == record.row.addedDate && updated.row.flags == record.row.flags)
  }

  @Test(arguments: [
    "IMG.JPG", "img.jpeg", "a.b.HEIC", "x.dng", "clip.MP4", "w.jfif", "film.qt", "noextension", "", ".jpg", "a.",
    "é.ＪＰＧ",
  ])
  func `any name has a type`(_ name: String) {
    let isKnown = ["IMG.JPG", "img.jpeg", "a.b.HEIC", "x.dng", "clip.MP4", "w.jfif", "film.qt", ".jpg"].contains(name)
    #expect((ContentTypes.byName(name) != "application/octet-stream") == isKnown)
    #expect((ContentTypes.mediaType(byName: name) != .unknown) == isKnown)
  }
}
