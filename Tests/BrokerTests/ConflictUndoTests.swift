import Catalogue
import Macaroons
import PhotoModel
import Testing

@testable import Broker

/// R131: what was decided between an edit and its file is taken back.
@Suite struct ConflictUndoTests {
  private let world: World
  private let permit: Permit
  private let assets = [AssetNumber(1), AssetNumber(2)]
  private let edited = Timestamp(seconds: 1_000_000_000)!
  private let ofFile = Timestamp(seconds: 1_300_000_000)!
  private let here = GeoPoint(latitudeE7: 10, longitudeE7: 20)
  private let there = GeoPoint(latitudeE7: 30, longitudeE7: 40)

  /// Two photos whose files contradict date, place and caption.
  init() throws {
    world = try World()
    permit = try world.app(.allow).admit(.edit)
    let targets = try [world.target(permit, 1), world.target(permit, 2)]
    _ = try world.perform(
      permit, [.setCreationDate(targets, edited), .setLocation(targets, here), .setCaption(targets, "mine")])
    for asset in assets {
      var record = world.photo("a.jpg")
      record.row = try #require(world.library.catalogue.row(of: asset))
      (record.row.creationDate, record.row.location, record.caption) = (ofFile, there, "mine")
      record.edited = [.creationDate, .location, .caption]
      _ = try done { world.library.apply([.reread(record, caption: "theirs")], completion: $0) }
    }
    #expect(world.library.openConflictCount == 2)
  }

  private func resolve(keepingFile: Bool) throws -> UInt64 {
    let outcome = try done {
      world.anna.resolveConflicts(of: world.photos, assets, keepingFile: keepingFile, completion: $0)
    }
    #expect(outcome.resolved == 2 && world.library.openConflictCount == 0)
    return try #require(outcome.decisions.first)
  }

  private func undo(_ number: UInt64) throws -> UInt64 {
    try #require(try done { world.anna.undo(number, completion: $0) }.receipt.decisions.first)
  }

  private func dates() -> [Timestamp?] { assets.map { world.library.catalogue.row(of: $0)?.creationDate } }

  @Test(arguments: [false, true])
  func `R131 both captions are told, and a conflict whose edit says something else meanwhile is not meant`(
    _ keepsFile: Bool
  ) throws {
    let listed = try done { world.anna.conflicts(of: world.photos, skip: 0, limit: 10, completion: $0) }
    #expect(listed.total == 2 && listed.conflicts.map(\.caption) == ["mine", "mine"])
    #expect(listed.conflicts.map(\.conflict.caption) == ["theirs", "theirs"])
    _ = try world.perform(permit, [.setCaption([world.target(permit, 2)], "mine again")])
    let left = try done { world.anna.conflicts(of: world.photos, skip: 1, limit: 10, completion: $0) }
    #expect(left.total == 2 && left.conflicts.count == 1)
    let outcome = try done {
      world.anna.resolveConflicts(
        of: world.photos, assets, keepingFile: keepsFile, isMeant: { $0.caption == "mine" }, completion: $0)
    }
    #expect(outcome.resolved == 1 && world.library.openConflictCount == 1)
    #expect(assets.map(world.caption) == [keepsFile ? "theirs" : "mine", "mine again"])
  }

  @Test(arguments: [false, true])
  func `R131 it is open again with what was edited, also after a restart, and the undo is undone`(_ keepsFile: Bool)
    throws
  {
    let before = world.library.conflicts
    let number = try resolve(keepingFile: keepsFile)
    try world.restart()
    let undone = try undo(number)
    #expect(world.library.conflicts == before && world.library.openConflictCount == 2)
    #expect(dates() == [edited, edited])
    #expect(assets.allSatisfy { world.library.catalogue.row(of: $0)?.location == here })
    #expect(assets.map(world.caption) == ["mine", "mine"])
    try world.restart()
    #expect(world.library.conflicts == before && dates() == [edited, edited])
    let again = try undo(undone)
    #expect(world.library.openConflictCount == 0)
    #expect(dates() == (keepsFile ? [ofFile, ofFile] : [edited, edited]))
    #expect(assets.map(world.caption) == (keepsFile ? ["theirs", "theirs"] : ["mine", "mine"]))
    _ = try undo(again)
    #expect(world.library.conflicts == before)
  }

  /// What their files say now.
  private func found() -> [AssetRecord] {
    assets.map { asset in
      var record = world.photo("a.jpg", hint: "hint \(asset.rawValue)")
      (record.row.creationDate, record.row.dateOrigin, record.row.location, record.caption) = (
        ofFile, .file, there, "theirs"
      )
      return record
    }
  }

  /// Their files get what they are known by when they come again.
  private func makeKnown() throws {
    for (asset, record) in zip(assets, found()) {
      var record = record
      record.row = try #require(world.library.catalogue.row(of: asset))
      (record.row.creationDate, record.row.dateOrigin, record.row.location, record.caption) = (
        ofFile, .file, there, "mine"
      )
      record.edited = [.creationDate, .location, .caption]
      _ = try done { world.library.apply([.reread(record, caption: "theirs")], completion: $0) }
    }
  }

  @Test(arguments: [false, true], [false, true])
  func `R131 what was decided is taken back for photos too that are away meanwhile`(_ keepsFile: Bool, _ restarts: Bool)
    throws
  {
    try makeKnown()
    let before = world.library.conflicts
    let number = try resolve(keepingFile: keepsFile)
    try world.lose(2)
    let undone = try undo(number)
    #expect(world.library.openConflictCount == 1)
    // In turn, and that too.
    let again = try undo(undone)
    #expect(world.library.openConflictCount == 0)
    let last = try undo(again)
    if restarts { try world.restart() }
    #expect(try done { world.library.apply([.insert(found()[1])], completion: $0) } == [assets[1]])
    #expect(world.library.conflicts == before && dates() == [edited, edited])
    #expect(assets.allSatisfy { world.library.catalogue.row(of: $0)?.location == here })
    #expect(assets.map(world.caption) == ["mine", "mine"])
    try world.restart()
    #expect(world.library.conflicts == before && dates() == [edited, edited])
    // What it is by now is what its undo puts it to.
    try world.lose(2)
    _ = try undo(last)
    _ = try done { world.library.apply([.insert(found()[1])], completion: $0) }
    #expect(world.library.openConflictCount == 0)
    #expect(dates() == (keepsFile ? [ofFile, ofFile] : [edited, edited]))
    #expect(assets.map(world.caption) == (keepsFile ? ["theirs", "theirs"] : ["mine", "mine"]))
  }

  @Test func `R131 what is taken back while a photo comes again holds, also where its record was read before`() throws {
    var record = found()[1]
    record.row = try #require(world.library.catalogue.row(of: assets[1]))
    (record.row.creationDate, record.row.dateOrigin, record.row.location, record.caption) = (
      ofFile, .file, there, "mine"
    )
    record.edited = [.creationDate, .location, .caption]
    _ = try done { world.library.apply([.reread(record, caption: "theirs")], completion: $0) }
    let before = world.library.conflicts
    let number = try resolve(keepingFile: true)
    try world.lose(2)
    world.store.isDeferred = true
    world.anna.undo(number) { _ in }
    world.library.apply([.insert(found()[1])]) { _ in }
    world.store.completeAll()
    #expect(
      world.library.conflicts == before && dates() == [edited, edited] && assets.map(world.caption) == ["mine", "mine"])
  }

  /// What is kept of those that are away.
  private func away() throws -> [AwayAsset] {
    let kept = try #require(world.store.away[world.photos])
    return assets.compactMap { kept[$0] }
  }

  private func areSame(_ some: [AwayAsset], _ others: [AwayAsset]) -> Bool {
    !some.isEmpty && some.count == others.count
      && zip(some, others).allSatisfy { one, other in
        one.record.row == other.record.row && one.record.caption == other.record.caption
          && one.record.edited == other.record.edited
          && one.conflict == other.conflict
      }
  }

  /// How much is held of what was decided of photos that are away, however it is held.
  private var held: Int { "\(world.library.conflictsOfAway)".utf8.count }

  @Test(arguments: [false, true], [false, true])
  func `R131 however often it is taken back while photos are away, no more is held, and the last holds`(
    _ keepsFile: Bool, _ endsOpen: Bool
  ) throws {
    try makeKnown()
    let before = world.library.conflicts
    var number = try resolve(keepingFile: keepsFile)
    try world.lose(1, 2)
    let readBefore = try away()
    for _ in 0..<2 { number = try undo(number) }
    let heldFirst = held
    for _ in 0..<60 { number = try undo(number) }
    // A count in it may have grown by digits.
    #expect(world.library.conflictsOfAway.count == assets.count && held < heldFirst + 20)
    if endsOpen { _ = try undo(number) }
    // The disk took up one after the other.
    #expect(try areSame(readBefore.map(world.library.upToDate), away()))
    #expect(try done { world.library.apply(found().map { .insert($0) }, completion: $0) } == assets)
    #expect(endsOpen ? world.library.conflicts == before : world.library.openConflictCount == 0)
    let takesFile = keepsFile && !endsOpen
    #expect(dates() == (takesFile ? [ofFile, ofFile] : [edited, edited]))
    #expect(assets.map(world.caption) == (takesFile ? ["theirs", "theirs"] : ["mine", "mine"]))
  }

  @Test(arguments: [false, true])
  func `R131 of photos that are away the last decision holds, whatever was decided before`(_ endsWithFile: Bool) throws
  {
    try makeKnown()
    let opened = try undo(resolve(keepingFile: false))
    let taken = try resolve(keepingFile: true)
    try world.lose(1, 2)
    let readBefore = try away()
    let takenBack = try undo(taken)
    let keptAgain = try undo(opened)
    if endsWithFile {
      _ = try undo(keptAgain)
      _ = try undo(takenBack)
    }
    #expect(try areSame(readBefore.map(world.library.upToDate), away()))
    #expect(try done { world.library.apply(found().map { .insert($0) }, completion: $0) } == assets)
    #expect(world.library.openConflictCount == 0)
    #expect(dates() == (endsWithFile ? [ofFile, ofFile] : [edited, edited]))
    #expect(assets.map(world.caption) == (endsWithFile ? ["theirs", "theirs"] : ["mine", "mine"]))
  }

  @Test func `R131 decisions on whatever fields come to the same in one as one after the other`() {
    let fields: [EditedFields] = [.creationDate, [], [.location, .caption], .caption, [.creationDate, .location]]
    let conflict = EditConflict(
      fields: .caption, creationDate: nil, dateOrigin: nil, location: nil, caption: "theirs", isSettled: false)
    let away = AwayAsset(record: world.photo("a.jpg"), conflict: nil, since: world.environment.now)
    var inTurn = away
    var inOne = LibraryState.ConflictsOfAway()
    for step in 0..<70 {
      let values = ConflictChange.Edit(
        creationDate: Timestamp(seconds: Int64(step)), dateOrigin: step % 2 == 0 ? .file : .edited,
        location: GeoPoint(latitudeE7: Int32(step), longitudeE7: 0), caption: step % 3 == 0 ? nil : "said \(step)")
      let decided = ConflictOfAway(
        conflict: step % 4 == 0 ? nil : conflict, fields: fields[step % 5], values: values, areEdited: step % 7 < 3,
        time: world.environment.now.advanced(by: .seconds(step * 37 % 11)))
      inTurn = decided.applied(to: inTurn)
      inOne.add(decided)
      #expect(areSame([inOne.applied(to: away)], [inTurn]), "after \(step)")
    }
  }

  @Test func `R133 what the disk did not keep of it is not put back`() throws {
    let number = try resolve(keepingFile: true)
    try world.lose(2)
    world.store.refusals = 1
    #expect(code { _ = try undo(number) } == .failed)
    #expect(world.library.openConflictCount == 0 && world.library.conflictsOfAway.isEmpty)
    world.store.failsToRead = true
    #expect(code { _ = try undo(number) } == .failed)
    world.store.failsToRead = false
    _ = try undo(number)
    #expect(world.library.conflictsOfAway.count == 1)
  }

  @Test(arguments: [false, true])
  func `R131 what changed since is said, and what is gone is left out`(_ keepsFile: Bool) throws {
    let number = try resolve(keepingFile: keepsFile)
    let kept = try #require(world.library.catalogue.row(of: assets[0]))
    var record = world.photo("a.jpg")
    record.row = kept
    record.row.creationDate = Timestamp(seconds: 1_400_000_000)
    _ = try done { world.library.apply([.reread(record, caption: keepsFile ? "other" : "theirs")], completion: $0) }
    #expect(throws: BrokerError.self) { _ = try undo(number) }
    #expect(world.library.openConflictCount == (keepsFile ? 0 : 1), "nothing was put back")
    try world.remove(1)
    _ = try undo(number)
    #expect(world.library.openConflictCount == 1 && dates() == [nil, edited])
  }
}
