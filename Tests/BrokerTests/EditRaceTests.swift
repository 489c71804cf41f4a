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
  func `an index update that began before an edit keeps what was edited`(_ isReread: Bool) throws {
    let world = try World()
    let permit = try world.app(.allow).admit(.edit)
    let record = try stale(world)
    let target = try world.target(permit, 1)
    _ = try world.perform(
      permit, [.setCreationDate([target], edited), .setCaption([target], "mine"), .setFavorite([target], true)])
    _ = try done { world.library.apply([isReread ? .reread(record, caption: nil) : .update(record)], completion: $0) }
    let row = try #require(world.library.catalogue.row(of: AssetNumber(1)))
    #expect(row.creationDate == edited && row.dateOrigin == .edited)
    #expect(row.flags.contains(.favourite))
    #expect(row.width == 77 && row.location == nil, "what nobody edited is the file's")
  }

  @Test(arguments: [false, true])
  func `the favourite of a changed file is taken, but for what somebody said of it since it was read`(_ isMarked: Bool)
    throws
  {
    let world = try World()
    var record = try stale(world)
    record.row.flags.insert(.favourite)
    if isMarked {
      try world.mark([1], favourite: true)
      try world.mark([1], favourite: false)
    }
    _ = try done { world.library.apply([.update(record)], completion: $0) }
    #expect(world.row(1)?.flags.contains(.favourite) == false, "its bytes are what they were")
    _ = try done { world.library.apply([.reread(record, caption: nil)], completion: $0) }
    #expect(world.row(1)?.flags.contains(.favourite) == !isMarked)
    record.row.flags.remove(.favourite)
    _ = try done { world.library.apply([.reread(record, caption: nil)], completion: $0) }
    #expect(world.row(1)?.flags.contains(.favourite) == false)
  }

  @Test
  func
    `an asset of which a file changed did so now or when its own file says, whichever is later, and never before it did`()
    throws
  {
    let world = try World()
    var record = try stale(world)
    let earlier = try #require(world.row(1)?.modificationDate)
    func date(_ mutation: AssetMutation) throws -> Timestamp? {
      world.environment.advance(.seconds(60))
      _ = try done { world.library.apply([mutation], completion: $0) }
      return world.row(1)?.modificationDate
    }
    record.row.modificationDate = Timestamp(microseconds: 5)
    #expect(try date(.update(record)) == earlier, "moved, with its bytes as they were")
    #expect(try date(.reread(record, caption: nil)) == world.environment.now)
    let later = world.environment.now.advanced(by: .seconds(3_600))
    record.row.modificationDate = later
    #expect(try date(.reread(record, caption: nil)) == later)
  }

  @Test func `a field that the changed file says otherwise is a conflict, and a field that it agrees on is none`()
    throws
  {
    let world = try World()
    let permit = try world.app(.allow).admit(.edit)
    let target = try world.target(permit, 1)
    var record = try stale(world, date: 1_300_000_000)
    record.row.location = place
    _ = try done { world.library.apply([.reread(record, caption: nil)], completion: $0) }
    #expect(world.library.conflicts.isEmpty, "nothing was edited")
    _ = try world.perform(permit, [.setCreationDate([target], edited), .setLocation([target], place)])
    _ = try done { world.library.apply([.update(record)], completion: $0) }
    #expect(world.library.conflicts.isEmpty, "the file did not change")
    _ = try done { world.library.apply([.reread(record, caption: nil)], completion: $0) }
    let conflict = try #require(world.library.conflicts[AssetNumber(1)])
    #expect(
      conflict.fields == .creationDate && conflict.creationDate == Timestamp(seconds: 1_300_000_000)
        && conflict.location == nil)
    #expect(world.library.catalogue.row(of: AssetNumber(1))?.creationDate == edited)
    try world.remove(1)
    #expect(world.library.conflicts.isEmpty)
  }

  @Test func `a conflict ends by the owner's word, and is not told again before the file says something else`() throws {
    let world = try World()
    let permit = try world.app(.allow).admit(.edit)
    let target = try world.target(permit, 1)
    let asset = AssetNumber(1)
    _ = try world.perform(permit, [.setCreationDate([target], edited), .setCaption([target], "mine")])
    func reread(_ date: Int64, _ caption: String) throws {
      let record = try stale(world, date: date)
      _ = try done { world.library.apply([.reread(record, caption: caption)], completion: $0) }
    }
    func resolve(keepingFile: Bool) throws -> Int {
      try done { world.library.resolve([asset], keepingFile: keepingFile, completion: $0) }
    }
    try reread(1_300_000_000, "theirs")
    #expect(world.library.openConflicts.map(\.conflict.fields) == [[.creationDate, .caption]])
    #expect(try resolve(keepingFile: false) == 1)
    try reread(1_300_000_000, "theirs")
    #expect(world.library.openConflicts.isEmpty)
    #expect(try resolve(keepingFile: true) == 0, "there is nothing to decide any more")
    try reread(1_400_000_000, "theirs")
    #expect(world.library.openConflicts.map(\.conflict.creationDate) == [Timestamp(seconds: 1_400_000_000)])
    #expect(try resolve(keepingFile: true) == 1)
    #expect(world.library.conflicts.isEmpty)
    #expect(world.library.catalogue.row(of: asset)?.creationDate == Timestamp(seconds: 1_400_000_000))
    try reread(1_500_000_000, "theirs")
    #expect(
      world.library.conflicts.isEmpty
        && world.library.catalogue.row(of: asset)?.creationDate == Timestamp(seconds: 1_500_000_000))
  }

  @Test func `a caption that was taken from the file stays the file's when it is read again`() throws {
    let world = try World()
    let permit = try world.app(.allow).admit(.edit)
    let asset = AssetNumber(1)
    _ = try world.perform(permit, [.setCaption([try world.target(permit, 1)], "mine")])
    var record = try stale(world)
    (record.caption, record.edited) = ("mine", .caption)
    _ = try done { world.library.apply([.reread(record, caption: "theirs")], completion: $0) }
    _ = try done { world.library.resolve([asset], keepingFile: true, completion: $0) }
    #expect(world.caption(of: asset) == "theirs")
    (record.caption, record.edited) = ("theirs", [])
    _ = try done { world.library.apply([.reread(record, caption: "theirs")], completion: $0) }
    #expect(world.caption(of: asset) == "theirs")
  }
}
