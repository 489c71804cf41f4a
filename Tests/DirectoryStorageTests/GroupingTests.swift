import Foundation
import PhotoModel
import PluginKit
import Testing

@testable import DirectoryStorage

struct GroupingTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var files: [String]
    /// Each item: its primary file, then `role name` of each other file.
    var items: [[String]]

    init(_ what: String, _ files: [String], _ items: [[String]]) {
      testDescription = what
      self.files = files
      self.items = items
    }
  }

  private static let long = String(repeating: "n", count: 43)
  private static let longer = String(repeating: "m", count: 46)

  static let cases = [
    Case("a raw file beside a JPEG", ["IMG_1.JPG", "IMG_1.CR2"], [["IMG_1.JPG", "raw IMG_1.CR2"]]),
    Case("a raw file beside a HEIC, in other case", ["img_1.heic", "IMG_1.DNG"], [["img_1.heic", "raw IMG_1.DNG"]]),
    Case("a raw file beside a PNG is a photo of its own", ["a.png", "a.dng"], [["a.png"], ["a.dng"]]),
    Case("a raw file alone, with its sidecar", ["a.nef", "a.xmp"], [["a.nef", "sidecar a.xmp"]]),
    Case(
      "sidecars of both kinds, also of the raw file", ["a.jpg", "a.cr2", "a.jpg.xmp", "a.cr2.xmp", "a.xmp"],
      [["a.jpg", "raw a.cr2", "sidecar a.cr2.xmp", "sidecar a.jpg.xmp", "sidecar a.xmp"]]),
    Case("a sidecar without a photo is nothing", ["orphan.xmp"], []),
    Case(
      "a sidecar of a name that differs in case alone", ["A.jpg", "a.jpg", "a.jpg.xmp"],
      [["A.jpg"], ["a.jpg", "sidecar a.jpg.xmp"]]),
    Case(
      "a photo and a video of one name are two; the sidecar is the photo's", ["P1.JPG", "P1.MOV", "P1.xmp"],
      [["P1.JPG", "sidecar P1.xmp"], ["P1.MOV"]]),
    Case(
      "a video's sidecar", ["v.mp4", "v.mp4.xmp", "w.mov", "w.xmp"],
      [["v.mp4", "sidecar v.mp4.xmp"], ["w.mov", "sidecar w.xmp"]]),
    Case(
      "small pictures of a raw file and a GIF", ["c.CRW", "c.THM", "m.GIF", "m.THM"],
      [["c.CRW", "sidecar c.THM"], ["m.GIF", "sidecar m.THM"]]),
    Case(
      "a small picture of a video beside a photo", ["c.AVI", "c.JPG", "c.THM"],
      [["c.AVI", "sidecar c.THM"], ["c.JPG"]]),
    Case(
      "XMP comes before the small picture", ["c.CRW", "c.THM", "c.xmp"], [["c.CRW", "sidecar c.xmp", "sidecar c.THM"]]),
    Case("Apple's edited version", ["IMG_0001.HEIC", "IMG_E0001.HEIC"], [["IMG_0001.HEIC", "edited IMG_E0001.HEIC"]]),
    Case(
      "Google's edited version, with a sidecar", ["a.jpg", "a-edited.jpg", "a-edited.jpg.xmp"],
      [["a.jpg", "edited a-edited.jpg", "sidecar a-edited.jpg.xmp"]]),
    Case("an edited version alone", ["IMG_E0001.JPG", "b-edited.png"], [["IMG_E0001.JPG"], ["b-edited.png"]]),
    Case(
      "Google's edited versions in other languages, and of duplicates",
      ["a.jpg", "a-bearbeitet.jpg", "b.jpg", "b-modifie\u{301}.jpg", "c(1).jpg", "c-edited(1).jpg", "c.jpg"],
      [
        ["a.jpg", "edited a-bearbeitet.jpg"], ["b.jpg", "edited b-modifie\u{301}.jpg"],
        ["c(1).jpg", "edited c-edited(1).jpg"], ["c.jpg"],
      ]),
    Case(
      "a Pixel's pairs",
      [
        "PXL_1.RAW-01.COVER.jpg", "PXL_1.RAW-02.ORIGINAL.dng", "PXL_2.MP.jpg", "PXL_2.dng", "PXL_3.RAW-01.MP.COVER.jpg",
        "PXL_3.RAW-02.ORIGINAL.dng", "PXL_4.PORTRAIT-01.COVER.jpg", "PXL_4.PORTRAIT-02.ORIGINAL.jpg",
      ],
      [
        ["PXL_1.RAW-01.COVER.jpg", "raw PXL_1.RAW-02.ORIGINAL.dng"], ["PXL_2.MP.jpg", "raw PXL_2.dng"],
        ["PXL_3.RAW-01.MP.COVER.jpg", "raw PXL_3.RAW-02.ORIGINAL.dng"], ["PXL_4.PORTRAIT-01.COVER.jpg"],
        ["PXL_4.PORTRAIT-02.ORIGINAL.jpg"],
      ]),
    Case(
      "a raw file is its own stem's before a Pixel's", ["P.jpg", "P.MP.jpg", "P.dng"],
      [["P.jpg", "raw P.dng"], ["P.MP.jpg"]]),
    Case(
      "sidecars of Google Takeout",
      [
        "a.jpg", "a(1).jpg", "a.jpg.json", "a.jpg(1).json", "b.HEIC", "b.HEIC.supplemental-metadata.json", "c(2).mp4",
        "c.mp4.supplemental-me(2).json", "d.png", "d.json", "e.jpg", "e.jpg.xmp", "e.jpg.s.json", "metadata.json",
      ],
      [
        ["a.jpg", "sidecar a.jpg.json"], ["a(1).jpg", "sidecar a.jpg(1).json"],
        ["b.HEIC", "sidecar b.HEIC.supplemental-metadata.json"], ["c(2).mp4", "sidecar c.mp4.supplemental-me(2).json"],
        ["d.png", "sidecar d.json"], ["e.jpg", "sidecar e.jpg.xmp", "sidecar e.jpg.s.json"],
      ]),
    Case(
      "sidecars of Google Takeout with cut names",
      [
        "\(long)1.jpg", "\(long)1(1).jpg", "\(long)1.j.json", "\(long)1.j(1).json", "\(long)22.jpg",
        "\(long)22.s.json", "\(longer)one.jpg", "\(longer)two.jpg", "\(longer).json",
      ],
      [
        ["\(long)1.jpg", "sidecar \(long)1.j.json"], ["\(long)1(1).jpg", "sidecar \(long)1.j(1).json"],
        ["\(long)22.jpg", "sidecar \(long)22.s.json"], ["\(longer)one.jpg"], ["\(longer)two.jpg"],
      ]),
    Case("several photos of one name", ["a.heic", "a.jpg", "a.raf"], [["a.heic", "raw a.raf"], ["a.jpg"]]),
    Case("what is no photo", ["notes.txt", "a.jpg.part", "Thumbs.db", "jpg", "a."], []),
  ]

  @Test(arguments: cases) func `files of one name and folder become one item`(_ one: Case) {
    let items = FileGrouping.items(one.files.map { ($0, ()) })
    #expect(Set(items.map { [$0.name] + $0.others.map { "\($0.role.rawValue) \($0.name)" } }) == Set(one.items))
  }

  @Test(arguments: cases) func `R44 files of one item are of one family`(_ one: Case) {
    for item in FileGrouping.items(one.files.map { ($0, ()) }) {
      #expect(Set(([item.name] + item.others.map(\.name)).map(NameFamily.of)).count == 1)
    }
  }

  /// Tries all pairs of names made of the words that the grouping knows.
  @Test func `R44 names of two families are never joined`() {
    let stems = [
      "img_0001", "IMG_E0001", "img_e0001-edited", "img_ee0001", "a", "A-edited", "a-Edited-edited", "a.b",
      "a.b-edited", "\u{130}", "i\u{307}", "a(1)", "a-edited(1)", "a-bearbeitet", "a(1)(2)", "a.MP", "a.RAW-01.COVER",
      Self.long + "n", Self.longer, Self.longer + "m",
    ]
    let names = stems.flatMap { stem in
      ["jpg", "HEIC", "dng", "mov", "xmp", "jpg.xmp", "thm", "gif", "json", "jpg.json", "jpg(1).json", "j.json"].map {
        "\(stem).\($0)"
      }
    }
    var joined = 0
    for first in names {
      for second in names where second != first {
        let items = FileGrouping.items([(first, ()), (second, ())])
        guard items.contains(where: { !$0.others.isEmpty }) else { continue }
        joined += 1
        #expect(NameFamily.of(first) == NameFamily.of(second), "\(first) and \(second)")
      }
    }
    #expect(joined > 100)
  }

  @Test(.enabled(if: RealPhotos.arePresent, RealPhotos.absence))
  func `real photos are grouped as their cameras intended`() throws {
    let storage = try DirectoryStorage(options: PluginOptions(["path": RealPhotos.path], for: DirectoryStorage.options))
    let (items, skipped) = try storage.everything()
    #expect(skipped == 0)
    let groups = Dictionary(
      uniqueKeysWithValues: items.map { ($0.primary.locator, $0.others.map { "\($0.role.rawValue) \($0.filename)" }) })
    let grouped = groups.filter { !$0.value.isEmpty }
    #expect(
      grouped == [
        "raw/CRW_0305.CRW": ["sidecar CRW_0305.THM"],
        "gif/MVC-006T.GIF": ["sidecar MVC-006T.THM"],
        "sidecar/20240128_105420.mp4": ["sidecar 20240128_105420.mp4.xmp"],
        "sidecar/IMG_5910.jpg": ["sidecar IMG_5910.jpg.xmp"],
        "sidecar/metadata_v2.jpg": ["sidecar metadata_v2.xmp"],
        "sidecar/photo.3.embedded_sidecar.jpg": ["sidecar photo.3.embedded_sidecar.jpg.xmp"],
      ])
    for alone in ["live/IMG_7943.HEIC", "live/IMG_7943_HEVC.MOV", "video/P1000244.JPG", "video/P1000244.MOV"] {
      #expect(groups[alone] == [])
    }
    // Every photo and video of the manifest is found, each in one item.
    let found = items.flatMap { [$0.primary.locator] + $0.others.map(\.locator) }
    #expect(Set(found).count == found.count)
    let expected = try RealPhotos.manifest().filter {
      ["photo", "video"].contains($0.kind) && !$0.file.hasSuffix(".THM")
    }
    #expect(expected.count > 100)
    #expect(Set(expected.map(\.file)).subtracting(found).isEmpty)
    for row in expected {
      guard let item = items.first(where: { $0.primary.locator == row.file }) else { continue }
      #expect(item.primary.size == row.bytes)
    }
  }

  @Test func `a thousand files of one stem are items within the limit, and no photo is lost`() {
    // All spellings of ten letters.
    func spellings(_ ending: String) -> [String] {
      (0..<1_024).map { number in
        String("abcdefghij".enumerated().map { number >> $0 & 1 == 1 ? Character($1.uppercased()) : $1 }) + ending
      }
    }
    let raws = spellings(".dng")
    let names = ["abcdefghij.jpg"] + raws + [".xmp", ".jpg.xmp", ".jpg.json"].flatMap(spellings)
    let items = FileGrouping.items(names.map { ($0, ()) })
    #expect(items.allSatisfy { $0.others.count < 16 })
    let found = items.flatMap { [$0.name] + $0.others.filter { $0.role == .raw }.map(\.name) }
    #expect(found.count == 1_025 && Set(found) == Set(raws + ["abcdefghij.jpg"]))
  }
}
