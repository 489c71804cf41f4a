import Catalogue
import Macaroons
import PhotoModel
import Testing

@testable import Broker

/// Files of hidden and never-shared assets that move to other assets (R13).
@Suite struct WithholdingTests {
  private func file(_ locator: String, _ hint: String?, _ role: ResourceRole = .original, digest: [UInt8]? = nil)
    -> ResourceRecord
  {
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
      known: known, altered: altered, found: found.map { ($0.locator, $0.identityHint) },
      seen: found.compactMap(\.identityHint))
  }

  private func take(_ world: World, _ mutations: [AssetMutation], _ prior: PriorFiles) throws -> [AssetNumber] {
    try done { world.library.scan.apply(mutations, prior: prior, completion: $0) }
  }

  private func flags(_ world: World, _ number: AssetNumber) -> AssetFlags? {
    world.library.catalogue.row(of: number)?.flags
  }

  private static let marks: [AssetFlags] = [.hidden, .neverShare, [.hidden, .neverShare]]

  /// A pair with one moved file, and a scan's findings for both halves.
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
    try world.mark(
      [Int(asset.row.number.rawValue)], hidden: marks.contains(.hidden), neverShare: marks.contains(.neverShare))
    return Pair(world: world, app: app, asset: asset, moved: file("raw/a.dng", hint), stayed: [files[0]])
  }

  @Test(arguments: marks, [false, true])
  func `R13 a file that leaves a withheld photo is withheld, in either order of scans`(
    _ marks: AssetFlags, _ isOldFirst: Bool
  )
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
  func `R13 a file missed by one scan is withheld where a later one finds it, also after a restart`(
    _ marks: AssetFlags, _ hint: String?
  ) throws {
    let pair = try pair(marks, hint: hint)
    let world = pair.world
    let first = prior([pair.asset], altered: [pair.asset], found: pair.stayed)
    #expect(try take(world, [.update(record(world, pair.stayed, pair.asset.row.number))], first) == [])
    world.library.scan.end()
    try world.restart()
    let found = prior([], found: [pair.moved])
    let new = try take(world, [.insert(record(world, [pair.moved]))], found)
    #expect(flags(world, new[0]) == marks)
    // Later, another file with that name and size is another photo.
    world.library.scan.end()
    let other = file("b/a.dng", "i9")
    #expect(
      try take(world, [.insert(record(world, [other]))], prior([], found: [other])).map { flags(world, $0) } == [
        AssetFlags()
      ])
  }

  @Test func `R13 a removed withheld file is withheld where its bytes return, until its owner decides otherwise`()
    throws
  {
    let world = try World()
    let known = file("a.jpg", "i1", digest: [7])
    var asset = record(world, [known])
    asset.row.number = try take(world, [.insert(asset)], PriorFiles())[0]
    try world.mark([Int(asset.row.number.rawValue)], neverShare: true)
    _ = try take(world, [.remove(asset.row.number)], prior([asset], altered: [asset], found: []))
    world.library.scan.end()
    let copy = file("disk/b.jpg", "i5", digest: [7])
    let new = try take(world, [.insert(record(world, [copy]))], prior([], found: [copy]))
    #expect(flags(world, new[0]) == .neverShare)
    world.library.scan.end()
    #expect(
      try take(world, [.insert(record(world, [file("c.jpg", "i6", digest: [7])]))], PriorFiles()).map {
        flags(world, $0)
      } == [AssetFlags()]
    )
  }

  @Test func `R13 a detached file follows the marks of the photo that it left`() throws {
    let pair = try pair(.hidden)
    let world = pair.world
    _ = try take(
      world, [.update(record(world, pair.stayed, pair.asset.row.number))],
      prior([pair.asset], altered: [pair.asset], found: pair.stayed))
    try world.mark([Int(pair.asset.row.number.rawValue)], hidden: false)
    let new = try take(world, [.insert(record(world, [pair.moved]))], prior([], found: [pair.moved]))
    #expect(flags(world, new[0]) == [])
  }

  @Test(arguments: marks, [false, true])
  func `R13 a photo that absorbs a withheld file is withheld, and its replies end`(
    _ marks: AssetFlags, _ isInTwo: Bool
  ) throws {
    let world = try World()
    let app = try world.app(.allow)
    let shown = try take(world, [.insert(record(world, [file("a.jpg", "i1")]))], PriorFiles())[0]
    let raw = try take(world, [.insert(record(world, [file("raw/a.dng", "i2")]))], PriorFiles())[0]
    let known = [record(world, [file("a.jpg", "i1")], shown), record(world, [file("raw/a.dng", "i2")], raw)]
    let files = [file("a.jpg", "i1"), file("a.dng", "i2", .raw)]
    let prior = prior(known, altered: known, found: files)
    // Marked after the scan read them.
    try world.mark([Int(raw.rawValue)], hidden: marks.contains(.hidden), neverShare: marks.contains(.neverShare))
    let permit = try app.authorize(.read)
    let token = try world.changes(permit, since: nil).token
    let mutations: [AssetMutation] = [.remove(raw), .update(record(world, files, shown))]
    for batch in isInTwo ? mutations.map({ [$0] }) : [mutations] { _ = try take(world, batch, prior) }
    #expect(flags(world, shown) == marks)
    #expect(try !world.fetch(app).contains(Int(shown.rawValue)))
    #expect(!world.broker.mayRelease(permit), "as after a mark of the owner's")
    #expect(try world.changes(app.authorize(.read), since: token).removed.count == 1)
    try world.mark([Int(shown.rawValue)], hidden: false, neverShare: false)
    let changed = record(world, files.map { self.file($0.locator, $0.identityHint, $0.role, digest: [1]) }, shown)
    _ = try take(
      world, [.update(changed)],
      self.prior([record(world, files, shown)], altered: [record(world, files, shown)], found: files))
    #expect(flags(world, shown) == [], "it has no other file than before")
  }

  /// A single never-shared photo in `a.jpg`.
  private func alone(hint: String? = "i1", digest: [UInt8]? = nil) throws -> (world: World, asset: AssetRecord) {
    let world = try World()
    var asset = record(world, [file("a.jpg", hint, digest: digest)])
    asset.row.number = try take(world, [.insert(asset)], PriorFiles())[0]
    try world.mark([Int(asset.row.number.rawValue)], neverShare: true)
    return (world, asset)
  }

  private func look(_ world: World, _ mutations: [AssetMutation], _ prior: PriorFiles = PriorFiles()) throws
    -> [AssetFlags?]
  {
    world.library.scan.begin()
    defer { world.library.scan.end() }
    return try take(world, mutations, prior).map { flags(world, $0) }
  }

  private func insert(_ world: World, _ file: ResourceRecord) throws -> AssetFlags? {
    try look(world, [.insert(record(world, [file]))], prior([], found: [file])).first ?? nil
  }

  @Test(arguments: [false, true], [false, true])
  func `R13 a file saved over a withheld one is withheld, even if the old version was kept elsewhere`(
    _ isOldFirst: Bool, _ isInTwo: Bool
  ) throws {
    let (world, asset) = try alone()
    let (kept, saved) = (file("old-a.jpg", "i1"), file("a.jpg", "i2"))
    let prior = prior([asset], altered: [asset], found: [kept, saved])
    let mutations: [AssetMutation] = [
      .update(record(world, [kept], asset.row.number)), .insert(record(world, [saved])),
    ]
    let order = isOldFirst ? mutations : mutations.reversed()
    world.library.scan.begin()
    let new = try (isInTwo ? order.map { [$0] } : [order]).flatMap { try take(world, $0, prior) }
    world.library.scan.end()
    #expect(new.count == 1 && flags(world, new[0]) == .neverShare && flags(world, asset.row.number) == .neverShare)
  }

  @Test(arguments: [true, false], [0, 59, 61])
  func `R13 a file at a moved withheld file's place is its new version for an hour, then another photo`(
    _ hasHint: Bool, _ minutes: Int
  ) throws {
    let (world, asset) = try alone(hint: hasHint ? "i1" : nil, digest: [7])
    let moved = file("private.jpg", hasHint ? "i1" : nil, digest: [7])
    _ = try look(
      world, [.update(record(world, [moved], asset.row.number))], prior([asset], altered: [asset], found: [moved]))
    world.environment.now = world.environment.now.advanced(by: .seconds(minutes * 60))
    try world.restart()
    #expect(try insert(world, file("a.jpg", hasHint ? "i2" : nil, digest: [8])) == (minutes < 60 ? .neverShare : []))
    #expect(try insert(world, file("c.jpg", "i3", digest: [9])) == [], "one elsewhere is none")
  }

  @Test func `R13 a file saved over a withheld one follows the owner's later marks`() throws {
    let (world, asset) = try alone()
    let moved = file("old-a.jpg", "i1")
    _ = try look(
      world, [.update(record(world, [moved], asset.row.number))], prior([asset], altered: [asset], found: [moved]))
    try world.mark([Int(asset.row.number.rawValue)], neverShare: false)
    #expect(try insert(world, file("a.jpg", "i2")) == [])
  }

  @Test
  func `R13 while a withheld file is missing, both its replacement and its return are withheld`()
    throws
  {
    let (world, asset) = try alone(digest: [7])
    _ = try look(world, [.remove(asset.row.number)], prior([asset], altered: [asset], found: []))
    world.environment.now = world.environment.now.advanced(by: .seconds(90 * 86_400))
    try world.restart()
    #expect(try insert(world, file("a.jpg", "i2", digest: [8])) == .neverShare)
    #expect(
      try insert(world, file("b.jpg", "i3", digest: [7])) == .neverShare,
      "its place was another's by then, and it was away still")
    #expect(try insert(world, file("a.jpg", "i4", digest: [9])) == [], "both were found")
  }

  @Test func `R13 a file that returned to its place is not detached, and one that returned elsewhere is`() throws {
    for (place, isFree) in [("a.jpg", true), ("b.jpg", false)] {
      let (world, asset) = try alone(digest: [7])
      _ = try look(world, [.remove(asset.row.number)], prior([asset], altered: [asset], found: []))
      #expect(try insert(world, file(place, "i2", digest: [7])) == .neverShare)
      #expect(try insert(world, file("a.jpg", "i3", digest: [8])) == (isFree ? [] : .neverShare))
      #expect(try insert(world, file("a.jpg", "i4", digest: [9])) == [], "it was filled")
    }
  }

  @Test(arguments: ["i2", nil])
  func `R13 a shared photo moved into a withheld one's place stays shared`(_ hint: String?) throws {
    let (world, asset) = try alone(hint: hint == nil ? nil : "i1", digest: [7])
    var shared = record(world, [file("b.jpg", hint, digest: [8])])
    shared.row.number = try take(world, [.insert(shared)], PriorFiles())[0]
    _ = try look(world, [.remove(asset.row.number)], prior([asset], altered: [asset], found: []))
    let moved = file("a.jpg", hint, digest: [8])
    _ = try look(
      world, [.update(record(world, [moved], shared.row.number))], prior([shared], altered: [shared], found: [moved]))
    #expect(flags(world, shared.row.number) == [])
    // Both swap places within one scan.
    let (other, second) = try alone(hint: hint == nil ? nil : "i1", digest: [7])
    var known = record(other, [file("b.jpg", hint, digest: [8])])
    known.row.number = try take(other, [.insert(known)], PriorFiles())[0]
    let files = [file("b.jpg", hint == nil ? nil : "i1", digest: [7]), file("a.jpg", hint, digest: [8])]
    let both: [AssetMutation] = [
      .update(record(other, [files[0]], second.row.number)), .update(record(other, [files[1]], known.row.number)),
    ]
    _ = try look(other, both, prior([second, known], altered: [second, known], found: files))
    #expect(flags(other, second.row.number) == .neverShare && flags(other, known.row.number) == [])
  }

  @Test func `R13 a version replaced in place is withheld where it turns up, and reserves no place`()
    throws
  {
    let (world, asset) = try alone(digest: [7])
    let saved = file("a.jpg", "i2", digest: [8])
    let known = record(world, [saved], asset.row.number)
    _ = try look(world, [.update(known)], prior([asset], altered: [asset], found: [saved]))
    let moved = file("private.jpg", "i2", digest: [8])
    _ = try look(
      world, [.update(record(world, [moved], asset.row.number))], prior([known], altered: [known], found: [moved]))
    world.environment.now = world.environment.now.advanced(by: .seconds(7_200))
    #expect(try insert(world, file("a.jpg", "i3", digest: [9])) == [])
    #expect(try insert(world, file("b.jpg", "i4", digest: [7])) == .neverShare)
  }

  @Test func `R13 any number of missing files are each withheld on return, also after a restart`() throws {
    let world = try World()
    let count = 1_300
    var assets = (0..<count).map {
      record(world, [file("private/\($0).jpg", "i\($0)", digest: [UInt8($0 % 256), UInt8($0 / 256)])])
    }
    let numbers = try take(world, assets.map { .insert($0) }, PriorFiles())
    for index in assets.indices { assets[index].row.number = numbers[index] }
    try world.mark(numbers.map { Int($0.rawValue) }, neverShare: true)
    let batches = stride(from: 0, to: count, by: 16).map { $0..<min($0 + 16, count) }
    let away = prior(assets, altered: assets, found: [])
    world.library.scan.begin()
    for batch in batches {
      let before = world.store.changesGiven
      _ = try take(world, batch.map { .remove(numbers[$0]) }, away)
      #expect(world.store.changesGiven - before <= 3 * 16, "a batch keeps what it has, however many left before")
    }
    world.library.scan.end()
    try world.restart()
    // Other files by now, as after a restore from a backup.
    let back = assets.map {
      file($0.resources[0].locator, "j" + ($0.resources[0].identityHint ?? ""), digest: $0.resources[0].digest)
    }
    world.library.scan.begin()
    for batch in batches {
      let new = try take(world, batch.map { .insert(record(world, [back[$0]])) }, prior([], found: back))
      #expect(new.allSatisfy { flags(world, $0) == .neverShare })
    }
    world.library.scan.end()
    // Records of found files are deleted gradually, with later changes.
    #expect(world.store.detached[world.photos]?.values.allSatisfy { !$0.isMissing } == true)
  }

  @Test func `R13 while detached files cannot be read, no new file is taken up`() throws {
    let (world, asset) = try alone(digest: [7])
    _ = try look(world, [.remove(asset.row.number)], prior([asset], altered: [asset], found: []))
    world.store.failsToRead = true
    let before = world.library.catalogue.count
    #expect(throws: BrokerError.self) { try insert(world, file("b.jpg", "i2", digest: [7])) }
    #expect(world.library.catalogue.count == before)
    world.store.failsToRead = false
    #expect(try insert(world, file("b.jpg", "i2", digest: [7])) == .neverShare)
  }
}
