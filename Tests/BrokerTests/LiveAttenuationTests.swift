import Broker
import Catalogue
import Macaroons
import PhotoModel
import TestSupport
import Testing

/// Tokens that are attenuated to albums and dates follow the library, and tell of nothing else (R155).
@Suite struct LiveAttenuationTests {
  private let world: World
  private let app: Session
  private let whole: Permit
  /// Contains the photos 1 and 2.
  private let trips: AlbumIdentifier

  init() throws {
    world = try World()
    app = try world.app(.allow)
    whole = try app.authorize([.read, .edit])
    world.broker.setAlbums(.full, of: whole.grant)
    trips = try world.perform(whole, [.createAlbum(title: "Trips")]).createdAlbums[0]
    try put([1, 2], into: trips)
  }

  private func put(_ numbers: [Int], into album: AlbumIdentifier) throws {
    _ = try world.perform(whole, [.addToAlbum(AlbumTarget(album), try numbers.map { try world.target(whole, $0) })])
  }

  private func take(_ numbers: [Int], from album: AlbumIdentifier) throws {
    _ = try world.perform(
      whole, [.removeFromAlbum(AlbumTarget(album), try numbers.map { try world.target(whole, $0) })])
  }

  /// Photo n of the world was taken n seconds after that.
  private func date(_ number: Int, _ seconds: Int64) throws {
    _ = try world.perform(
      whole, [.setCreationDate([try world.target(whole, number)], Timestamp(seconds: 1_600_000_000 + seconds)!)])
  }

  private static func caveat(_ album: AlbumIdentifier) -> Caveat {
    .album(UInt128(album.high) << 64 | UInt128(album.low))
  }

  /// Lists what a holder sees, and ends its connection, since a grant follows few sets of albums and dates.
  private func shown(to holder: Session) throws -> [Int] {
    defer { holder.close() }
    return try world.fetch(holder)
  }

  private func holder(_ caveats: Caveat...) throws -> Session {
    var token = try Macaroon(
      text: done { [photos = world.photos, app = whole.app] in
        world.anna.tokens.mint(library: photos, app: app, level: .readWrite, completion: $0)
      }.text)
    for caveat in caveats { token = try token.adding(caveat) }
    let session = world.connect()
    _ = try session.attach(token.text)
    return session
  }

  private func listed(_ numbers: [Int]) throws -> Caveat {
    .assets(Set(try numbers.map { try world.sealed(whole, $0) }.map { UInt128($0.high) << 64 | UInt128($0.low) }))
  }

  @Test func `R155 photos join and leave a token of an album, and its holder hears exactly that`() throws {
    let holder = try holder(Self.caveat(trips))
    #expect(try world.fetch(holder) == [1, 2])
    var token = try world.changes(holder.authorize(.read), since: nil).token
    func event() throws -> ChangeEvent {
      let event = try world.changes(holder.authorize(.read), since: token)
      token = event.token
      return event
    }
    try put([3], into: trips)
    #expect(try world.fetch(holder) == [1, 2, 3])
    var heard = try event()
    #expect(heard.inserted.map(\.number.rawValue) == [3] && heard.removed.isEmpty && !heard.resynchronize)
    let (open, other) = (try holder.authorize(.read), try app.authorize(.read))
    try take([1], from: trips)
    #expect(!world.broker.mayRelease(open), "a prepared reply may show the photo")
    #expect(world.broker.mayRelease(other), "the whole token lost nothing")
    #expect(try world.fetch(holder) == [2, 3])
    heard = try event()
    #expect(try heard.removed == [world.sealed(whole, 1)] && heard.inserted.isEmpty && heard.changed.isEmpty)
    try world.mark([2], favourite: true)
    #expect(try event().changed.map(\.number.rawValue) == [2])
    try world.mark([3], hidden: true)
    #expect(try event().removed == [world.sealed(whole, 3)])
    let gone = try world.sealed(whole, 2)
    try world.remove(2)
    #expect(try event().removed == [gone], "also of a photo whose record is gone")
    try world.mark([3], hidden: false)
    #expect(try event().inserted.map(\.number.rawValue) == [3])
    _ = try world.perform(whole, [.deleteAlbum(AlbumTarget(trips))])
    #expect(try world.fetch(holder) == [])
    #expect(try event().removed == [world.sealed(whole, 3)])
  }

  @Test func `R155 changes outside of the album and the dates leave no trace`() throws {
    let range: [Caveat] = [.createdFrom(1_600_000_000), .createdBefore(1_600_000_002)]
    let holders = try [holder(Self.caveat(trips)), holder(range[0], range[1]), holder(Self.caveat(trips), range[0])]
    let permits = try holders.map { try $0.authorize(.read) }
    let tokens = try permits.map { try world.changes($0, since: nil).token }
    let others = try world.perform(whole, [.createAlbum(title: "Others")]).createdAlbums[0]
    try put([5, 6], into: others)
    try take([5], from: others)
    try date(5, 50)
    try world.mark([6], hidden: true)
    try world.mark([7], favourite: true)
    try world.insert("new.jpg")
    try world.remove(8)
    for (permit, token) in zip(permits, tokens) {
      #expect(world.broker.mayRelease(permit))
      #expect(try world.changes(permit, since: nil).token == token)
      #expect(try world.changes(permit, since: token).isEmpty)
    }
  }

  @Test func `R155 an invisible album, a deleted one and none give the same answers`() throws {
    let hidden = try world.perform(whole, [.createAlbum(title: "Hidden")]).createdAlbums[0]
    try put([1, 2], into: hidden)
    let opened = try world.library.seals[whole.app].open(trips)
    let inside = try world.library.seals[whole.app].open(hidden)
    let some = AlbumAccess(visible: .only([opened]), editable: .only([opened]), mayCreate: false)
    let seen = try holder(Self.caveat(hidden)).authorize(.read)
    #expect(world.visible(seen) == [1, 2])
    world.broker.setAlbums(some, of: whole.grant)
    #expect(!world.broker.mayRelease(seen))
    let blind = try [hidden, AlbumIdentifier(high: 7, low: 7)].map { try holder(Self.caveat($0)) }
    let tokens = try blind.map { try world.changes($0.authorize(.read), since: nil).token }
    _ = try done {
      world.anna.albums.edit(
        inside, of: world.photos,
        OwnedAlbumEdit(title: "Other", adding: world.selection([3]), removing: nil, isShared: nil, deletes: false),
        completion: $0)
    }
    for (session, token) in zip(blind, tokens) {
      let permit = try session.authorize(.read)
      #expect(world.visible(permit).isEmpty)
      #expect(try world.changes(permit, since: token).isEmpty)
      #expect(try session.describeAccess(.readWrite).visible == 0)
    }
    world.broker.setAlbums(.full, of: whole.grant)
    #expect(try world.fetch(blind[0]) == [1, 2, 3])
    #expect(try world.changes(blind[0].authorize(.read), since: tokens[0]).inserted.count == 3)
  }

  @Test func `R155 R150 dates are the shown ones, and what a widened grant moves out of them is gone at once`() throws {
    var record = world.photo("a.jpg")
    record.row = try #require(world.row(1))
    (record.row.dateOrigin, record.row.zoneMinutes, record.row.placeShiftMinutes) = (.place, 540, 480)
    _ = try done { world.library.scan.apply([.reread(record, caption: nil)], completion: $0) }
    let row = try #require(world.row(1))
    let own = try #require(row.creationDate?.microseconds) / 1_000_000
    let zones = try #require(row.facts.dateWithoutPlace?.microseconds) / 1_000_000
    #expect(own != zones)
    let holders = try [own, zones].map { try holder(.createdFrom($0), .createdBefore($0 + 1)) }
    func shown() throws -> [[Int]] { try holders.map { try world.fetch($0) } }
    #expect(try shown() == [[1], []])
    func setPlaces(_ isShown: Bool) throws {
      var settings = GrantSettings()
      settings.terms = .init(location: isShown)
      _ = try done {
        world.anna.grants.set(library: world.photos, app: whole.app, level: .readWrite, settings, completion: $0)
      }
    }
    try setPlaces(false)
    #expect(try shown() == [[], [1]])
    let permit = try holders[1].authorize(.read)
    try setPlaces(true)
    #expect(!world.broker.mayRelease(permit), "nobody called meanwhile")
    #expect(try shown() == [[1], []])
  }

  @Test func `R155 albums, dates and listed photos all have to hold`() throws {
    let second = try world.perform(whole, [.createAlbum(title: "Second")]).createdAlbums[0]
    try put([2, 3], into: second)
    #expect(try shown(to: holder(Self.caveat(trips), Self.caveat(second))) == [2])
    #expect(try shown(to: holder(Self.caveat(trips), listed([1, 5]))) == [1])
    #expect(try shown(to: holder(.createdFrom(1_600_000_003), .createdFrom(1_600_000_001))).first == 3)
    let row = { (number: Int) in world.row(number)?.creationDate?.microseconds }
    let day = try #require(row(2)) / 1_000_000
    #expect(try shown(to: holder(.createdFrom(day), .createdBefore(day + 1))) == [2], "the first second counts")
    #expect(try shown(to: holder(.createdBefore(day), .createdFrom(day))) == [])
    #expect(try shown(to: holder(.createdFrom(day), Self.caveat(trips))) == [2])
    for edge: Caveat in [.createdFrom(-62_135_596_800), .createdBefore(253_402_300_799)] {
      #expect(try shown(to: holder(edge)).count == world.fetch(app).count)
    }
    #expect(try shown(to: holder(.createdBefore(-62_135_596_800))) == [])
  }

  @Test func `R155 a change token outlives a connection and a pause, and not a restart`() throws {
    var holder = try holder(Self.caveat(trips))
    let token = try world.changes(holder.authorize(.read), since: nil).token
    holder.close()
    try put([3], into: trips)
    _ = try done {
      world.anna.grants.pause(RevocationScope(library: world.photos, app: whole.app), paused: true, completion: $0)
    }
    try world.mark([1], favourite: true)
    _ = try done {
      world.anna.grants.pause(RevocationScope(library: world.photos, app: whole.app), paused: false, completion: $0)
    }
    holder = try self.holder(Self.caveat(trips))
    let event = try world.changes(holder.authorize(.read), since: token)
    #expect(event.inserted.map(\.number.rawValue) == [3] && event.changed.map(\.number.rawValue) == [1])
    try world.restart()
    let again = try self.holder(Self.caveat(trips)).authorize(.read)
    world.broker.setAlbums(.full, of: again.grant)
    #expect(code { try world.changes(again, since: event.token) } == .photos(.persistentChangeTokenExpired))
  }

  @Test func `R155 an own token takes no such caveat, an album is made by none, and a child has them`() throws {
    let own = try Macaroon(text: try done { app.introduce(.test(), completion: $0) }.token)
    for caveat: Caveat in [Self.caveat(trips), .createdFrom(0), .createdBefore(9)] {
      #expect(code { try world.connect().attach(own.adding(caveat).text) } == .tokenRefused)
    }
    let permit = try holder(.createdFrom(0)).authorize([.read, .edit])
    #expect(code { try world.perform(permit, [.createAlbum(title: "New")]) } == .tokenRefused)
    let child = try done {
      permit.session.mintChildToken(
        ChildTokenRequest(name: "helper", uid: nil, end: nil), under: permit, completion: $0)
    }
    let restrictions = try Macaroon(text: child.text).claimedRestrictions()
    #expect(restrictions.createdFrom == 0, "a child has the caveats of its parent")
  }

  @Test(arguments: [1, 2, 3])
  func `R155 events alone keep a copy of what the token shows`(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let (low, high) = (Int64(1_600_000_000), Int64(1_600_000_006))
    let holders = try [
      holder(Self.caveat(trips)), holder(.createdFrom(low), .createdBefore(high)),
      holder(Self.caveat(trips), .createdBefore(high)),
    ]
    var copies: [(Set<AssetIdentifier>, String)] = try holders.map {
      let permit = try $0.authorize(.read)
      return (Set(try world.list(permit).keys), try world.changes(permit, since: nil).token)
    }
    for _ in 0..<120 {
      let number = Int.random(in: 1...10, using: &random)
      let before = try holders.map { try world.list($0.authorize(.read)) }
      switch Int.random(in: 0..<7, using: &random) {
      case 0: _ = try? put([number], into: trips)
      case 1: _ = try? take([number], from: trips)
      case 2: _ = try? date(number, Int64.random(in: -3..<9, using: &random))
      case 3: try world.mark([number], hidden: Bool.random(using: &random))
      case 4: try world.mark([number], favourite: Bool.random(using: &random))
      case 5: try world.lose(number)
      default: try world.update(number)
      }
      let members = try world.library.albums[world.library.seals[whole.app].open(trips)]?.members ?? []
      for (index, holder) in holders.enumerated() {
        let permit = try holder.authorize(.read)
        let now = try world.list(permit)
        let wanted = try world.list(app.authorize(.read)).filter { _, row in
          let isDated = row.creationDate.map { $0.microseconds < high * 1_000_000 } ?? false
          return switch index {
          case 0: members.contains(row.number)
          case 1: isDated && row.creationDate!.microseconds >= low * 1_000_000
          default: isDated && members.contains(row.number)
          }
        }
        #expect(Set(now.keys) == Set(wanted.keys))
        let event = try world.changes(permit, since: copies[index].1)
        #expect(!event.resynchronize)
        let seals = try world.library.seals[permit.app]
        copies[index].0.subtract(event.removed)
        copies[index].0.formUnion(try event.inserted.map { try seals.seal($0.identifier) })
        #expect(copies[index].0 == Set(now.keys))
        if before[index] == now, event.albumsChanged == false {
          #expect(event.isEmpty && event.token == copies[index].1)
        }
        copies[index].1 = event.token
      }
    }
  }
}
