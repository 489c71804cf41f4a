import Broker
import Catalogue
import Macaroons
import PhotoModel
import Testing

/// A file that an app adds is found by a look at the storage too.
@Suite struct NewcomersTests {
  private func record(_ world: World, _ locator: String) -> AssetRecord {
    var record = world.photo(locator)
    record.resources = [
      ResourceRecord(
        role: .original, locator: locator, filename: locator, contentType: "image/jpeg", size: 1, contentVersion: "1", identityHint: nil,
        digest: nil)
    ]
    return record
  }

  @Test(arguments: [false, true])
  func `R43 an added file that is found twice is one asset, and the app's`(_ isSeenFirst: Bool) throws {
    let world = try World()
    let permit = try world.app(.allow).admit(.edit)
    let grant = world.broker.joiningGrant(of: permit.app, in: world.photos)
    let (newcomers, before) = (Newcomers(), world.library.catalogue.count)
    newcomers.begin()
    func look() throws -> [AssetNumber] {
      try done { world.library.apply([.insert(self.record(world, "new.jpg"))], newcomers: newcomers, completion: $0) }
    }
    let seen = isSeenFirst ? try look() : []
    let added = try done {
      world.library.apply(
        [.insert(self.record(world, "new.jpg"))], creator: permit.app, joining: grant, newcomers: newcomers, completion: $0)
    }
    if isSeenFirst { #expect(added == seen) } else { #expect(try look() == []) }
    #expect(world.library.catalogue.count == before + 1)
    #expect(world.library.creators[try #require(added.first)] == permit.app)
    #expect(world.kept.creators[added[0]] == permit.app)
    newcomers.end()
    #expect(try look().count == 1, "nothing is being added any more")
  }

  @Test func `another file in the place of one that moved meanwhile is another asset`() throws {
    let world = try World()
    let (newcomers, before) = (Newcomers(), world.library.catalogue.count)
    newcomers.begin()
    let first = try done { world.library.apply([.insert(self.record(world, "a.jpg"))], newcomers: newcomers, completion: $0) }
    var moved = record(world, "b.jpg")
    moved.row.number = first[0]
    let mutations: [AssetMutation] = [.update(moved), .insert(record(world, "c.jpg"))]
    _ = try done { world.library.apply(mutations, newcomers: newcomers, completion: $0) }
    _ = try done { world.library.apply([.insert(self.record(world, "a.jpg"))], newcomers: newcomers, completion: $0) }
    #expect(world.library.catalogue.count == before + 3)
    _ = try done { world.library.apply([.insert(self.record(world, "b.jpg"))], newcomers: newcomers, completion: $0) }
    #expect(world.library.catalogue.count == before + 3)
    _ = try done { world.library.apply([.remove(first[0])], newcomers: newcomers, completion: $0) }
    _ = try done { world.library.apply([.insert(self.record(world, "b.jpg"))], newcomers: newcomers, completion: $0) }
    #expect(world.library.catalogue.count == before + 3, "what went is not there any more")
  }
}
