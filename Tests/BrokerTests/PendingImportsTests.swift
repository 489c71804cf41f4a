import Broker
import Catalogue
import Macaroons
import PhotoModel
import Testing

/// A file that an app adds is also found by a scan of the storage.
@Suite struct PendingImportsTests {
  private func record(_ world: World, _ locator: String, identity: String? = nil) -> AssetRecord {
    var record = world.photo(locator)
    record.resources = [
      ResourceRecord(
        role: .original, locator: locator, filename: locator, contentType: "image/jpeg", size: 1, contentVersion: "1",
        identityHint: identity, digest: nil)
    ]
    return record
  }

  @Test(arguments: [false, true])
  func `R43 an added file found twice is one asset of the app`(_ isSeenFirst: Bool) throws {
    let world = try World()
    let permit = try world.app(.allow).authorize(.edit)
    let (pendingImports, before) = (PendingImports(), world.library.catalogue.count)
    pendingImports.begin()
    func look() throws -> [AssetNumber] {
      try done {
        world.library.scan.apply(
          [.insert(self.record(world, "new.jpg"))], pendingImports: pendingImports, completion: $0)
      }
    }
    let seen = isSeenFirst ? try look() : []
    #expect(seen.count == (isSeenFirst ? 1 : 0))
    let added = try world.create(permit, record(world, "new.jpg"), pendingImports: pendingImports)
    #expect(try look() == [])
    #expect(world.library.catalogue.count == before + 1)
    #expect(world.library.assets.creators[added] == permit.app)
    #expect(world.kept.creators[added] == permit.app)
    #expect(seen.allSatisfy { world.library.catalogue.row(of: $0) == nil && world.kept.catalogue.row(of: $0) == nil })
    pendingImports.didWrite()
    pendingImports.end()
    #expect(try look().count == 1, "nothing is being added any more")
  }

  /// Applies an app's addition, or with nil a scan's finding.
  private func take(
    _ world: World, _ pendingImports: PendingImports, _ file: AssetRecord, by app: Permit? = nil
  ) throws -> [AssetNumber] {
    if let app { return [try world.create(app, file, pendingImports: pendingImports)] }
    return try done { world.library.scan.apply([.insert(file)], pendingImports: pendingImports, completion: $0) }
  }

  private func trash(_ world: World, _ app: Session, _ number: AssetNumber) throws {
    let permit = try app.authorize(.edit)
    let identifier = try #require(world.library.catalogue.row(of: number)).identifier
    _ = try world.perform(
      permit, [.delete([AssetTarget(identifier: try world.library.seals[permit.app].seal(identifier))])])
    #expect(world.library.catalogue.row(of: number)?.flags.contains(.trashed) == true)
  }

  @Test(arguments: [nil, "1"])
  func `R43 a file added in a deleted one's place is another asset, and no scan restores the old`(
    _ identity: String?
  ) throws {
    let world = try World()
    let app = try world.app(.allow)
    let name = try app.authorize(.edit)
    let (pendingImports, before) = (PendingImports(), world.library.catalogue.count)
    pendingImports.begin()
    let first = try take(world, pendingImports, record(world, "a.jpg", identity: identity), by: name)
    try trash(world, app, first[0])
    if identity != nil {
      #expect(
        try take(world, pendingImports, record(world, "a.jpg", identity: identity)) == [], "the one that was deleted")
    }
    let owners = try take(world, pendingImports, record(world, "a.jpg", identity: identity.map { $0 + "0" }))
    #expect(owners.count == 1 && owners != first, "the owner put a file there")
    try trash(world, app, owners[0])
    let again = try take(world, pendingImports, record(world, "a.jpg", identity: identity.map { $0 + "1" }), by: name)
    #expect(again.count == 1 && again != owners && again != first)
    #expect(world.library.catalogue.row(of: again[0])?.flags.contains(.trashed) == false)
    #expect(world.library.catalogue.count == before + 3)
  }

  @Test func `R43 two apps adding to one place one after the other have separate assets`() throws {
    let world = try World()
    let names = try ["a", "b"].map { try world.app(.allow, manifest: .test("org.example.\($0)")).authorize(.edit) }
    let pendingImports = PendingImports()
    pendingImports.begin()
    let added = try names.map { try take(world, pendingImports, record(world, "a.jpg"), by: $0)[0] }
    #expect(added[0] != added[1])
    #expect(added.map { world.library.assets.creators[$0] } == names.map(\.app))
    #expect(try take(world, pendingImports, record(world, "a.jpg")) == [])
  }

  @Test func `another file in one place is another asset if the storage tells them apart`() throws {
    let world = try World()
    let name = try world.app(.allow).authorize(.edit)
    let pendingImports = PendingImports()
    pendingImports.begin()
    let found = try take(world, pendingImports, record(world, "a.jpg", identity: "1"))
    let added = try take(world, pendingImports, record(world, "a.jpg", identity: "2"), by: name)
    #expect(added.count == 1 && added != found)
    #expect(world.library.assets.creators[found[0]] == nil)
    #expect(try take(world, pendingImports, record(world, "a.jpg", identity: "3")).count == 1)
    let same = try take(world, pendingImports, record(world, "b.jpg", identity: "4"))
    #expect(world.library.catalogue.row(of: same[0]) != nil)
    #expect(try take(world, pendingImports, record(world, "b.jpg", identity: "4"), by: name) != same)
    #expect(world.library.catalogue.row(of: same[0]) == nil, "it was the app's all along")
  }

  @Test func `a scan's findings are kept during a write, and apps' additions until the scan ends`()
    throws
  {
    let world = try World()
    let name = try world.app(.allow).authorize(.edit)
    let pendingImports = PendingImports()
    pendingImports.begin()
    _ = try take(world, pendingImports, record(world, "found.jpg"))
    _ = try take(world, pendingImports, record(world, "added.jpg"), by: name)
    pendingImports.didWrite()
    #expect(try take(world, pendingImports, record(world, "added.jpg")) == [])
    #expect(try take(world, pendingImports, record(world, "found.jpg")).count == 1)
    pendingImports.begin()
    #expect(try take(world, pendingImports, record(world, "found.jpg"), by: name).count == 1)
    #expect(try take(world, pendingImports, record(world, "added.jpg")) == [])
  }

  @Test func `R14 R43 an app's addition is not the successor of a known photo with its bytes and no file`()
    throws
  {
    let world = try World()
    let name = try world.app(.allow).authorize(.edit)
    let pendingImports = PendingImports()
    pendingImports.begin()
    var looks = 0
    world.delegate.onFilesReleased = { looks += 1 }
    let owners = try take(world, pendingImports, record(world, "a.jpg", identity: "1"))[0]
    let addition = try done { world.library.additions.begin([(size: 1, digest: [7])], by: name.app, completion: $0) }[0]
    _ = try done { world.library.additions.identify(addition.number, by: "2", completion: $0) } as Void
    func seesAdded(as mutation: (AssetRecord) -> AssetMutation) throws -> Bool {
      var moved = record(world, "new.jpg", identity: "2")
      moved.row.number = owners
      _ = try done { world.library.scan.apply([mutation(moved)], pendingImports: pendingImports, completion: $0) }
      return world.library.catalogue.row(of: owners)?.fileName == "new.jpg"
    }
    #expect(try !seesAdded { .update($0) }, "while it is being written")
    #expect(try !seesAdded { .reread($0, caption: nil) })
    #expect(looks == 0, "it would find the same")
    let added = try world.create(
      name, record(world, "new.jpg", identity: "2"), additions: [addition.number], pendingImports: pendingImports)
    #expect(looks == 1, "what became of the other one is to be seen now")
    #expect(try !seesAdded { .update($0) }, "once it is taken up")
    #expect(looks == 2)
    #expect(added != owners && world.library.catalogue.row(of: owners)?.fileName == "a.jpg")
    pendingImports.didWrite()
    pendingImports.end()
    #expect(try seesAdded { .update($0) }, "a look that knows of both")
  }

  @Test func `another file in the place of a moved one is another asset`() throws {
    let world = try World()
    let (pendingImports, before) = (PendingImports(), world.library.catalogue.count)
    pendingImports.begin()
    let first = try done {
      world.library.scan.apply([.insert(self.record(world, "a.jpg"))], pendingImports: pendingImports, completion: $0)
    }
    var moved = record(world, "b.jpg")
    moved.row.number = first[0]
    let mutations: [AssetMutation] = [.update(moved), .insert(record(world, "c.jpg"))]
    _ = try done { world.library.scan.apply(mutations, pendingImports: pendingImports, completion: $0) }
    _ = try done {
      world.library.scan.apply([.insert(self.record(world, "a.jpg"))], pendingImports: pendingImports, completion: $0)
    }
    #expect(world.library.catalogue.count == before + 3)
    _ = try done {
      world.library.scan.apply([.insert(self.record(world, "b.jpg"))], pendingImports: pendingImports, completion: $0)
    }
    #expect(world.library.catalogue.count == before + 3)
    _ = try done { world.library.scan.apply([.remove(first[0])], pendingImports: pendingImports, completion: $0) }
    _ = try done {
      world.library.scan.apply([.insert(self.record(world, "b.jpg"))], pendingImports: pendingImports, completion: $0)
    }
    #expect(world.library.catalogue.count == before + 3, "what went is not there any more")
  }
}
