import Broker
import Catalogue
import Macaroons
import PhotoModel
import Testing

/// An app's edit wins over a concurrent scan of the asset, field by field.
@Suite struct EditRaceTests {
  private let edited = Timestamp(seconds: 1_000_000_000)!
  private let place = GeoPoint(latitudeE7: 10, longitudeE7: 20)

  /// The asset as an indexer read it before the edit, with its file's present values.
  private func stale(_ world: World, date: Int64 = 1_650_000_000) throws -> AssetRecord {
    var record = world.photo("a.jpg")
    record.row = try #require(world.library.catalogue.row(of: AssetNumber(1)))
    record.row.creationDate = Timestamp(seconds: date)
    record.row.width = 77
    record.caption = "of the file"
    return record
  }

  @Test(arguments: [false, true])
  func `an index update begun before an edit keeps the edit`(_ isReread: Bool) throws {
    let world = try World()
    let permit = try world.app(.allow).authorize(.edit)
    let record = try stale(world)
    let target = try world.target(permit, 1)
    _ = try world.perform(
      permit, [.setCreationDate([target], edited), .setCaption([target], "mine"), .setFavorite([target], true)])
    _ = try done {
      world.library.scan.apply([isReread ? .reread(record, caption: nil) : .update(record)], completion: $0)
    }
    let row = try #require(world.library.catalogue.row(of: AssetNumber(1)))
    #expect(row.creationDate == edited && row.dateOrigin == .edited)
    #expect(row.flags.contains(.favourite))
    #expect(row.width == 77 && row.location == nil, "what nobody edited is the file's")
  }

  @Test func `R150 an edited date has no shift, even after its file is read again`() throws {
    let world = try World()
    var record = try stale(world)
    (record.row.dateOrigin, record.row.zoneMinutes, record.row.placeShiftMinutes) = (.place, 540, 480)
    func index() throws { _ = try done { world.library.scan.apply([.reread(record, caption: nil)], completion: $0) } }
    try index()
    #expect(world.row(1)?.placeShiftMinutes == 480)
    let permit = try world.app(.allow).authorize(.edit)
    _ = try world.perform(permit, [.setCreationDate([try world.target(permit, 1)], edited)])
    #expect(world.row(1)?.placeShiftMinutes == 0)
    try index()
    #expect(world.row(1)?.placeShiftMinutes == 0 && world.row(1)?.creationDate == edited)
  }

  @Test(arguments: [false, true])
  func `a changed file's favourite is taken over unless it was edited since it was read`(_ isMarked: Bool)
    throws
  {
    let world = try World()
    var record = try stale(world)
    record.row.flags.insert(.favourite)
    if isMarked {
      try world.mark([1], favourite: true)
      try world.mark([1], favourite: false)
    }
    _ = try done { world.library.scan.apply([.update(record)], completion: $0) }
    #expect(world.row(1)?.flags.contains(.favourite) == false, "its bytes are what they were")
    _ = try done { world.library.scan.apply([.reread(record, caption: nil)], completion: $0) }
    #expect(world.row(1)?.flags.contains(.favourite) == !isMarked)
    record.row.flags.remove(.favourite)
    _ = try done { world.library.scan.apply([.reread(record, caption: nil)], completion: $0) }
    #expect(world.row(1)?.flags.contains(.favourite) == false)
  }

  @Test
  func `a changed file dates the change to now, or to the file's own time if that is later`()
    throws
  {
    let world = try World()
    var record = try stale(world)
    let earlier = try #require(world.row(1)?.modificationDate)
    func date(_ mutation: AssetMutation) throws -> Timestamp? {
      world.environment.advance(.seconds(60))
      _ = try done { world.library.scan.apply([mutation], completion: $0) }
      return world.row(1)?.modificationDate
    }
    record.row.modificationDate = Timestamp(microseconds: 5)
    #expect(try date(.update(record)) == earlier, "moved, with its bytes as they were")
    #expect(try date(.reread(record, caption: nil)) == world.environment.now)
    let later = world.environment.now.advanced(by: .seconds(3_600))
    record.row.modificationDate = later
    #expect(try date(.reread(record, caption: nil)) == later)
  }

  /// The asset as the store has it.
  private func stored(_ world: World) throws -> AssetRecord {
    try #require(world.store.assets[world.photos]?[AssetNumber(1)])
  }

  /// How often the decisions name the asset's changed file.
  private func notes(_ world: World) throws -> Int {
    let identifier = try #require(world.row(1)).identifier
    return world.store.log.count {
      $0.action == "differ" && $0.after == "asset \(identifier)" && $0.source == .changedFile
    }
  }

  @Test func `an edit wins over a changed file, whose differing values are kept and noted once`() throws {
    let world = try World()
    let permit = try world.app(.allow).authorize(.edit)
    let target = try world.target(permit, 1)
    func reread(_ date: Int64, _ caption: String? = nil, isReread: Bool = true) throws -> FileValues {
      var record = try stale(world, date: date)
      record.caption = "mine"
      record.ofFile = world.store.assets[world.photos]?[AssetNumber(1)]?.ofFile ?? FileValues()
      let mutation: AssetMutation = isReread ? .reread(record, caption: caption) : .update(record)
      _ = try done { world.library.scan.apply([mutation], completion: $0) }
      return try stored(world).ofFile
    }
    #expect(try reread(1_300_000_000, "theirs") == FileValues() && notes(world) == 0, "nothing was edited")
    _ = try world.perform(
      permit, [.setCreationDate([target], edited), .setLocation([target], place), .setCaption([target], "mine")])
    #expect(try reread(1_300_000_000, isReread: false) == FileValues(), "the file did not change")
    #expect(try reread(1_000_000_000, "mine").creationDate == edited && notes(world) == 0, "it agrees")
    let values = try reread(1_300_000_000, "theirs")
    let date = Timestamp(seconds: 1_300_000_000)
    #expect(values == FileValues(creationDate: date, location: place, caption: "theirs"))
    let record = try stored(world)
    let differing = FileValues(creationDate: date, caption: "theirs")
    #expect(values.differing(from: record.row, caption: record.caption) == differing)
    #expect(world.row(1)?.creationDate == edited && record.caption == "mine")
    #expect(try notes(world) == 1)
    _ = try reread(1_300_000_000, "theirs")
    #expect(try notes(world) == 1, "these values are known")
    _ = try reread(1_400_000_000, "theirs")
    #expect(try notes(world) == 2, "the file has another value again")
    #expect(world.row(1)?.creationDate == edited && world.row(1)?.location == place)
    #expect(try stored(world).caption == "mine")
  }

  @Test func `a difference is kept and not noted again while the asset is missing`() throws {
    let world = try World()
    let permit = try world.app(.allow).authorize(.edit)
    _ = try world.perform(permit, [.setCaption([try world.target(permit, 1)], "mine")])
    var record = world.photo("a.jpg", hint: "i1")
    record.row = try #require(world.row(1))
    record.caption = "mine"
    _ = try done { world.library.scan.apply([.reread(record, caption: "theirs")], completion: $0) }
    #expect(try notes(world) == 1)
    try world.lose(1)
    var back = world.photo("a.jpg", hint: "i1")
    back.caption = "theirs"
    #expect(try done { world.library.scan.apply([.insert(back)], completion: $0) } == [AssetNumber(1)])
    #expect(try stored(world).caption == "mine" && stored(world).ofFile.caption == "theirs")
    #expect(try notes(world) == 1)
    try world.lose(1)
    back.caption = "others"
    _ = try done { world.library.scan.apply([.insert(back)], completion: $0) }
    #expect(try stored(world).caption == "mine" && notes(world) == 2)
  }

  @Test func `a removed place and caption do not return with a changed file`() throws {
    let world = try World()
    let permit = try world.app(.allow).authorize(.edit)
    let target = try world.target(permit, 1)
    var record = try stale(world)
    record.row.location = place
    _ = try done { world.library.scan.apply([.reread(record, caption: "theirs")], completion: $0) }
    _ = try world.perform(permit, [.setLocation([target], nil), .setCaption([target], "")])
    record.row.location = GeoPoint(latitudeE7: 30, longitudeE7: 40)
    record.caption = "theirs again"
    _ = try done { world.library.scan.apply([.reread(record, caption: "theirs again")], completion: $0) }
    let kept = try stored(world)
    #expect(world.row(1)?.location == nil && kept.row.location == nil && kept.shownCaption == nil)
    #expect(kept.ofFile.location == record.row.location && kept.ofFile.caption == "theirs again")
  }
}
