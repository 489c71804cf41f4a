import Limits
import Macaroons
import TestSupport
import Testing

struct CaveatTests {
  @Test(
    arguments: [
      .library("holidays-2"), .app("org.example.App_1"), .uid(0), .uid(.max), .level(.addOnly), .level(.readWrite),
      .verbs(.all), .verbs(.delete), .before(0), .before(999_999_999_999_999_999), .assets([0]), .assets([.max, 1]),
      .album(0), .album(.max), .createdFrom(0), .createdFrom(-1), .createdBefore(-62_135_596_800),
      .createdBefore(253_402_300_799), .withholds(.location), .withholds(.all), .pixels(256), .pixels(2_560), .uses(0),
      .bytes(999_999_999_999_999_999),
      .library(String(repeating: "a", count: MacaroonLimits.nameBytes)),
    ] as [Caveat])
  func `a caveat reads back from its text`(caveat: Caveat) {
    #expect(Caveat(Array(caveat.text.utf8)) == caveat)
  }

  @Test func `the texts are those of the grammar`() {
    #expect(Caveat.verbs([.pick, .read]).text == "verbs = read,pick")
    #expect(
      Caveat.assets([2, 1]).text
        == "assets = 00000000000000000000000000000001,00000000000000000000000000000002")
    #expect(Caveat.withholds([.captions, .location]).text == "withholds = location,captions")
  }

  @Test(arguments: [
    "", " ", "=", " = ", "library", "library = ", "library =x", "library= x", "library  = x", "library = a b",
    " library = x", "Library = x", "library = é", "library = x\n", "library = x\0", "library == x", "app = ", "uid = ",
    "uid = -1", "uid = 01", "uid = 4294967296", "uid = 1 ", "uid = +1", "uid = 0x1", "level = ", "level = full",
    "level = ReadWrite", "verbs = ", "verbs = read,", "verbs = ,read", "verbs = read, add", "verbs = read,read",
    "verbs = READ", "verbs = all", "before = ", "before = -1", "before = 1.5", "before = 1000000000000000000",
    "assets = ", "assets = 1", "assets = 0000000000000000000000000000000G", "assets = 0000000000000000000000000000000A",
    "assets = 00000000000000000000000000000001,",
    "assets = 00000000000000000000000000000001,00000000000000000000000000000001",
    "uses = ", "uses = -1", "uses = 01", "uses = 9223372036854775808", "bytes = 1.5", "bytes = 1000000000000000000",
    "pixels = ", "pixels = 255", "pixels = 2561", "pixels = 0", "pixels = -1", "pixels = 0512", "pixels = 512.0",
    "pixels = 9223372036854775808", "pixels = 999999999999999999", "pixels = 256,512",
    "withholds = ", "withholds = places", "withholds = location,location", "withholds = captions, location",
    "album = ", "album = 1", "album = Trips", "album = 0000000000000000000000000000000A",
    "album = 00000000000000000000000000000001,00000000000000000000000000000002",
    "createdFrom = ", "createdFrom = -", "createdFrom = -0", "createdFrom = --1", "createdFrom = +1",
    "createdFrom = 01", "createdFrom = -01", "createdFrom = 2026-07-01", "createdFrom = -62135596801",
    "createdBefore = 253402300800", "createdBefore = 1.5", "createdBefore = 9223372036854775808", "created = 1",
    "after = 1", "time < 2030", "path = /", "\u{FEFF}library = x",
    "library = " + String(repeating: "a", count: MacaroonLimits.nameBytes + 1),
  ])
  func `a caveat outside the grammar is refused`(text: String) {
    #expect(Caveat(Array(text.utf8)) == nil)
  }

  @Test func `no sequence of caveats adds rights`() throws {
    var random = SeededGenerator(5)
    var contradictions = 0
    for _ in 0..<5_000 {
      var restrictions = TokenRestrictions()
      do {
        for _ in 0..<Int.random(in: 1..<12, using: &random) {
          let before = restrictions
          let caveat = Self.caveat(&random)
          try restrictions.narrow(by: caveat)
          #expect(Self.isWithin(restrictions, before), "\(caveat) widened \(before) to \(restrictions)")
          var alone = TokenRestrictions()
          try alone.narrow(by: caveat)
          #expect(Self.isWithin(restrictions, alone), "\(caveat) does not hold in \(restrictions)")
        }
      } catch {
        #expect(error.code == .contradiction)
        contradictions += 1
      }
    }
    #expect(contradictions > 100 && contradictions < 4_900)
  }

  @Test func `the order of caveats does not matter`() {
    var random = SeededGenerator(6)
    for _ in 0..<1_000 {
      let caveats = (0..<5).map { _ in Self.caveat(&random) }
      #expect(Self.all(caveats) == Self.all(caveats.shuffled(using: &random)))
    }
  }

  private static func all(_ caveats: [Caveat]) -> TokenRestrictions? {
    var restrictions = TokenRestrictions()
    for caveat in caveats {
      guard (try? restrictions.narrow(by: caveat)) != nil else { return nil }
    }
    return restrictions
  }

  private static func caveat(_ random: inout SeededGenerator) -> Caveat {
    let small = UInt32.random(in: 0..<20, using: &random) / 18
    return switch Int.random(in: 0..<14, using: &random) {
    case 0: .library("l\(small)")
    case 1: .app("a\(small)")
    case 2: .uid(small)
    case 3: .level(small == 0 ? .readWrite : .addOnly)
    case 4: .verbs(Verbs(rawValue: UInt8.random(in: 0..<64, using: &random)))
    case 5: .withholds(WithheldFacts(rawValue: UInt8.random(in: 0..<4, using: &random)))
    case 6: .uses(Int64.random(in: 0..<100, using: &random))
    case 7: .bytes(Int64.random(in: 0..<100, using: &random))
    case 13: .pixels(Int.random(in: 256...2_560, using: &random))
    case 9: .album(UInt128(small))
    case 10: .createdFrom(Int64.random(in: -50..<50, using: &random))
    case 11: .createdBefore(Int64.random(in: -50..<50, using: &random))
    case 8: .before(Int64.random(in: 0..<100, using: &random))
    default: .assets(Set((0..<4).map { _ in UInt128(UInt8.random(in: 0..<8, using: &random)) }))
    }
  }

  /// Whether `outer` allows everything that `inner` allows.
  private static func isWithin(_ inner: TokenRestrictions, _ outer: TokenRestrictions) -> Bool {
    (outer.library == nil || inner.library == outer.library) && (outer.app == nil || inner.app == outer.app)
      && (outer.uid == nil || inner.uid == outer.uid) && (outer.level == nil || inner.level == outer.level)
      && inner.verbs.isSubset(of: outer.verbs) && inner.withheld.isSuperset(of: outer.withheld)
      && (outer.pixels.map { bound in inner.pixels.map { $0 <= bound } ?? false } ?? true)
      && (inner.pixels == nil || inner.withheld.contains(.files))
      && inner.albums.isSuperset(of: outer.albums)
      && (outer.createdFrom.map { bound in inner.createdFrom.map { $0 >= bound } ?? false } ?? true)
      && (outer.createdBefore.map { bound in inner.createdBefore.map { $0 <= bound } ?? false } ?? true)
      && (outer.before.map { bound in inner.before.map { $0 <= bound } ?? false } ?? true)
      && (outer.uses.map { bound in inner.uses.map { $0 <= bound } ?? false } ?? true)
      && (outer.bytes.map { bound in inner.bytes.map { $0 <= bound } ?? false } ?? true)
      && (outer.assets.map { bound in inner.assets.map { $0.isSubset(of: bound) } ?? false } ?? true)
  }
}
