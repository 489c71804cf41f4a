import Catalogue
import PhotoModel
import Testing

@testable import Broker

/// Limits of libraries and photos for all users together.
@Suite struct LibraryBoundsTests {
  @Test func `a user's share leaves room for all others, and latecomers have room`() {
    var held: [Int] = []
    for _ in 0..<6 {
      let room = LibraryBounds.room(mine: 0, all: held.reduce(0, +), limit: 1_000)
      #expect(LibraryBounds.room(mine: room, all: held.reduce(room, +), limit: 1_000) == 0)
      held.append(room)
    }
    #expect(held == [500, 250, 125, 62, 31, 16])
    #expect(LibraryBounds.room(mine: 700, all: 700, limit: 1_000) == 0, "who has more from before")
    #expect(
      LibraryBounds.room(mine: 0, all: 2_000, limit: 1_000) == 0
        && LibraryBounds.room(mine: 1, all: 1, limit: .max) > 1 << 60)
  }

  @Test func `photos of all a user's libraries count together, pending imports included`() throws {
    let world = try World()
    func photos(of owner: UInt32) -> Int {
      world.broker.libraries.values.filter { $0.record.owner == owner }.reduce(0) { $0 + $1.catalogue.count }
    }
    let (known, berts) = (photos(of: World.anna), photos(of: World.bert))
    world.broker.bounds.photos = known + berts + 100
    #expect(world.broker.roomForPhotos(in: world.library) == (100 - known) / 2)
    let second = try done {
      world.anna.libraries.add(LibraryName("second")!, backend: "directory", options: [:], completion: $0)
    }
    let others = try done {
      world.bert.libraries.add(LibraryName("others")!, backend: "directory", options: [:], completion: $0)
    }
    second.scan.comingPhotos = 20
    #expect(world.broker.roomForPhotos(in: world.library) == (80 - known - 20) / 2)
    #expect(world.broker.roomForPhotos(in: others) == (80 - berts) / 2)
    second.scan.end()
    others.scan.comingPhotos = 90
    #expect(world.broker.roomForPhotos(in: second) == 0)
    // A user who runs the broker personally has all the remaining room.
    world.broker.bounds.own = World.anna
    #expect(world.broker.roomForPhotos(in: second) == 10)
    world.broker.bounds.own = nil
    // Missing photos keep their room, and take no other.
    others.scan.comingPhotos = 0
    world.broker.bounds.photos = known + berts
    let away = try #require(world.library.catalogue.row(of: AssetNumber(1)))
    try world.lose(Int(away.number.rawValue))
    #expect(world.broker.roomForPhotos(in: world.library) == 1 && world.broker.roomForPhotos(in: others) == 0)
    // A new photo takes that room, and no second one gets it, however many are missing.
    _ = try done { world.library.scan.apply([.insert(world.photo("new.jpg", hint: "n"))], completion: $0) }
    #expect(world.library.missing.losses.count == 1 && world.broker.roomForPhotos(in: world.library) == 0)
    world.broker.bounds.photos = 1
    #expect(
      world.broker.roomForPhotos(in: second) == 0 && world.library.catalogue.count == known, "what is known stays")
  }

  @Test func `one user's libraries leave equally many for others, and root is exempt`() throws {
    let world = try World()
    func add(_ name: String, _ admin: AdminSession, owner: UInt32? = nil) throws {
      let name = try #require(LibraryName(name))
      _ = try done { admin.libraries.add(name, backend: "directory", options: [:], owner: owner, completion: $0) }
    }
    let known = world.broker.libraries.values.count { $0.record.owner == World.anna }
    let limit = known + world.broker.libraries.count + 4
    world.broker.bounds.libraries = limit
    for number in 0..<2 { try add("more-\(number)", world.anna) }
    let failure = #expect(throws: BrokerError.self) { try add("over", world.anna) }
    #expect(failure?.code == .refused && failure?.message.contains("for \(limit) libraries of all users") == true)
    try add("bert", world.bert)
    try add("given", world.root, owner: World.anna)
    #expect(code { try add("over", world.anna) } == .refused)
    world.broker.bounds.libraries = 1
    #expect(code { try add("over", world.bert) } == .refused)
    // A user's first library is allowed.
    world.broker.bounds.libraries = world.broker.libraries.count - 1
    try add("first", world.admin(4_001))
    #expect(code { try add("second", world.admin(4_001)) } == .refused)
    _ = try done { world.anna.libraries.remove(LibraryName("given")!, completion: $0) }
    #expect(world.broker.libraries[LibraryName("more-1")!] != nil, "what is there stays")
  }
}
