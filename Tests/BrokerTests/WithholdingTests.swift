import Catalogue
import Macaroons
import PhotoModel
import Testing

@testable import Broker

/// Files of what its owner hid or never shares, on their way into other assets (R13).
@Suite struct WithholdingTests {
  private func file(_ locator: String, _ hint: String?, _ role: ResourceRole = .original, digest: [UInt8]? = nil) -> ResourceRecord {
    ResourceRecord(
      role: role, locator: locator, filename: locator.split(separator: "/").last.map(String.init) ?? locator,
      contentType: "image/jpeg", size: 100, contentVersion: "1", identityHint: hint, digest: digest)
  }

  private func record(_ world: World, _ files: [ResourceRecord], _ number: AssetNumber? = nil) -> AssetRecord {
    var record = world.photo(files[0].filename)
    record.resources = files
    if let number { record.row.number = number }
    return record
  }

  private func prior(_ known: [AssetRecord], altered: [AssetRecord] = [], found: [ResourceRecord]) -> PriorFiles {
    PriorFiles(
      known: known, altered: altered, found: found.map { ($0.locator, $0.identityHint) }, seen: found.compactMap(\.identityHint))
  }

  private func take(_ world: World, _ mutations: [AssetMutation], _ prior: PriorFiles) throws -> [AssetNumber] {
    try done { world.library.apply(mutations, prior: prior, completion: $0) }
  }

  private func flags(_ world: World, _ number: AssetNumber) -> AssetFlags? { world.library.catalogue.row(of: number)?.flags }

  private static let marks: [AssetFlags] = [.hidden, .neverShare, [.hidden, .neverShare]]

  /// A pair, one of its files in another place, and both halves of what a look makes of that.
  private struct Pair {
    let world: World
    let app: Session
    let asset: AssetRecord
    let moved: ResourceRecord
    let stayed: [ResourceRecord]
  }

  private func pair(_ marks: AssetFlags, hint: String? = "i2") throws -> Pair {
    let world = try World()
    let app = try world.app(.allow)
    let files = [file("a.jpg", "i1"), file("a.dng", hint, .raw)]
    var asset = record(world, files)
    asset.row.number = try take(world, [.insert(asset)], PriorFiles())[0]
    try world.mark([Int(asset.row.number.rawValue)], hidden: marks.contains(.hidden), neverShare: marks.contains(.neverShare))
    return Pair(world: world, app: app, asset: asset, moved: file("raw/a.dng", hint), stayed: [files[0]])
  }

  @Test(arguments: marks, [false, true])
  func `R13 a file that leaves what is withheld is withheld, whichever place is looked at first`(_ marks: AssetFlags, _ isOldFirst: Bool)
    throws
  {
    let pair = try pair(marks)
    let world = pair.world
    let before = try world.fetch(pair.app)
    let prior = prior([pair.asset], altered: [pair.asset], found: pair.stayed + [pair.moved])
    let mutations: [AssetMutation] = [
      .update(record(world, pair.stayed, pair.asset.row.number)), .insert(record(world, [pair.moved])),
    ]
    let new = try take(world, isOldFirst ? mutations : mutations.reversed(), prior)
    #expect(new.count == 1 && flags(world, new[0]) == marks && flags(world, pair.asset.row.number) == marks)
    #expect(world.kept.catalogue.row(of: new[0])?.flags == marks, "in the commit that brings it")
    #expect(try world.fetch(pair.app) == before)
  }

  @Test(arguments: marks, ["i2", nil])
  func `R13 a file that one look finds gone is withheld where a later one finds it, after a restart too`(
    _ marks: AssetFlags, _ hint: String?
  ) throws {
    let pair = try pair(marks, hint: hint)
    let world = pair.world
    let first = prior([pair.asset], altered: [pair.asset], found: pair.stayed)
    #expect(try take(world, [.update(record(world, pair.stayed, pair.asset.row.number))], first) == [])
    world.library.endLook()
    try world.restart()
    let found = prior([], found: [pair.moved])
    let new = try take(world, [.insert(record(world, [pair.moved]))], found)
    #expect(flags(world, new[0]) == marks)
    // Another file of that name and size is another photo by then.
    world.library.endLook()
    let other = file("b/a.dng", "i9")
    #expect(try take(world, [.insert(record(world, [other]))], prior([], found: [other])).map { flags(world, $0) } == [AssetFlags()])
  }

  @Test func `R13 what is gone altogether is withheld where its bytes come back, until its owner says otherwise`() throws {
    let world = try World()
    let known = file("a.jpg", "i1", digest: [7])
    var asset = record(world, [known])
    asset.row.number = try take(world, [.insert(asset)], PriorFiles())[0]
    try world.mark([Int(asset.row.number.rawValue)], neverShare: true)
    _ = try take(world, [.remove(asset.row.number)], prior([asset], altered: [asset], found: []))
    world.library.endLook()
    let copy = file("disk/b.jpg", "i5", digest: [7])
    let new = try take(world, [.insert(record(world, [copy]))], prior([], found: [copy]))
    #expect(flags(world, new[0]) == .neverShare)
    world.library.endLook()
    #expect(
      try take(world, [.insert(record(world, [file("c.jpg", "i6", digest: [7])]))], PriorFiles()).map { flags(world, $0) } == [AssetFlags()]
    )
  }

  @Test func `R13 a file that left is what its owner says of the photo that it left`() throws {
    let pair = try pair(.hidden)
    let world = pair.world
    _ = try take(
      world, [.update(record(world, pair.stayed, pair.asset.row.number))], prior([pair.asset], altered: [pair.asset], found: pair.stayed))
    try world.mark([Int(pair.asset.row.number.rawValue)], hidden: false)
    let new = try take(world, [.insert(record(world, [pair.moved]))], prior([], found: [pair.moved]))
    #expect(flags(world, new[0]) == [])
  }

  @Test(arguments: marks, [false, true])
  func `R13 a photo that what is withheld becomes a part of is withheld, and its replies end`(_ marks: AssetFlags, _ isInTwo: Bool) throws {
    let world = try World()
    let app = try world.app(.allow)
    let shown = try take(world, [.insert(record(world, [file("a.jpg", "i1")]))], PriorFiles())[0]
    let raw = try take(world, [.insert(record(world, [file("raw/a.dng", "i2")]))], PriorFiles())[0]
    let known = [record(world, [file("a.jpg", "i1")], shown), record(world, [file("raw/a.dng", "i2")], raw)]
    let files = [file("a.jpg", "i1"), file("a.dng", "i2", .raw)]
    let prior = prior(known, altered: known, found: files)
    // After the look has read them.
    try world.mark([Int(raw.rawValue)], hidden: marks.contains(.hidden), neverShare: marks.contains(.neverShare))
    let permit = try app.admit(.read)
    let token = try world.changes(permit, since: nil).token
    let mutations: [AssetMutation] = [.remove(raw), .update(record(world, files, shown))]
    for batch in isInTwo ? mutations.map({ [$0] }) : [mutations] { _ = try take(world, batch, prior) }
    #expect(flags(world, shown) == marks)
    #expect(try !world.fetch(app).contains(Int(shown.rawValue)))
    #expect(!world.broker.mayRelease(permit), "as after a mark of the owner's")
    #expect(try world.changes(app.admit(.read), since: token).removed.count == 1)
    try world.mark([Int(shown.rawValue)], hidden: false, neverShare: false)
    let changed = record(world, files.map { self.file($0.locator, $0.identityHint, $0.role, digest: [1]) }, shown)
    _ = try take(world, [.update(changed)], self.prior([record(world, files, shown)], altered: [record(world, files, shown)], found: files))
    #expect(flags(world, shown) == [], "it has no other file than before")
  }

  @Test func `R13 another photo in the place of what was withheld and moved is another photo`() throws {
    let world = try World()
    var asset = record(world, [file("a.jpg", "i1")])
    asset.row.number = try take(world, [.insert(asset)], PriorFiles())[0]
    try world.mark([Int(asset.row.number.rawValue)], hidden: true)
    let (moved, other) = (file("b/a.jpg", "i1"), file("a.jpg", "i2"))
    let mutations: [AssetMutation] = [.update(record(world, [moved], asset.row.number)), .insert(record(world, [other]))]
    let new = try take(world, mutations, prior([asset], altered: [asset], found: [moved, other]))
    #expect(flags(world, new[0]) == [])
    // One that lies where a file of it was that is nowhere else is not.
    let there = file("b/a.jpg", "i3")
    let known = record(world, [moved], asset.row.number)
    #expect(
      try take(world, [.insert(record(world, [there]))], prior([known], found: [there])).map { flags(world, $0) } == [AssetFlags.hidden])
  }

  @Test func `what is remembered of files that left is bounded, and kept as it is`() throws {
    let row = AssetRow(
      number: AssetNumber(3), identifier: AssetIdentifier(high: 0, low: 0), addedDate: Timestamp(microseconds: 0),
      modificationDate: Timestamp(microseconds: 0), flags: [.hidden, .favourite])
    var parted = PartedFiles()
    let files = (0..<PartedFiles.limit + 10).map { file("a\t\n\($0).jpg", "i\($0)", digest: $0 % 2 == 0 ? [1, 2] : nil) }
    for file in files { parted.note(file, of: row) }
    parted.claim(parted.find(files[20]))
    let read = PartedFiles(parted.text(adding: PartedFiles(), without: []) + "\nno line\n1\t2")
    parted.endLook()
    for kept in [parted, read] {
      #expect(kept.find(file("x", "i9")).isEmpty == false && kept.find(file("x", "i8")).isEmpty, "the latest but for what was found")
      #expect(kept.find(file("x", "i20")).isEmpty && kept.find(file("x", "i1033")).map { kept[$0].marks } == [.hidden])
      let same = kept.find(file("x", nil, digest: [1, 2])).count
      #expect(same == PartedFiles.limit / 2 - 1, "every other of them")
    }
  }
}
