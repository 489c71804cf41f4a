import Catalogue
import Limits
import Macaroons
import PhotoModel
import Testing

@testable import Broker

/// R154: assets join and leave a live selection by themselves, and people undo it as any other.
@Suite struct LiveSelectionTests {
  private let favourites = LiveSelection(favourites: true)

  private func album(_ world: World, _ members: [Int], _ known: AlbumIdentifier? = nil, removing: [Int] = [])
    throws -> AlbumIdentifier
  {
    let edit = OwnedAlbumEdit(
      title: known == nil ? "Trips" : nil, adding: world.selection(members), removing: world.selection(removing),
      isShared: nil, deletes: false)
    let made = try done { world.anna.albums.edit(known, of: world.photos, edit, completion: $0) }
    return try #require(made).identifier
  }

  private func file(_ world: World, _ path: String, _ number: Int? = nil, flags: AssetFlags = []) throws -> Int {
    var record = world.photo(path, flags: flags, hint: path)
    guard let number else {
      return Int(try done { world.library.scan.apply([.insert(record)], completion: $0) }[0].rawValue)
    }
    record.row = try #require(world.row(number))
    record.row.flags = record.row.flags.union(flags)
    _ = try done { world.library.scan.apply([.update(record)], completion: $0) }
    return number
  }

  private func undo(_ world: World) throws {
    let newest = try done { world.anna.decisions.list(library: world.photos, DecisionQuery(limit: 1), completion: $0) }
    let number = try #require(newest.entries.first).number
    _ = try done { world.anna.decisions.undo(number, completion: $0) }
  }

  @Test func `R154 a favourite joins and leaves, and the app hears exactly that`() throws {
    let world = try World()
    try world.mark([1, 2], favourite: true)
    let app = try world.app(.select, selecting: [1, 2], live: favourites)
    let permit = try app.authorize(.read)
    var token = try world.changes(permit, since: nil).token
    func event() throws -> ChangeEvent {
      let event = try world.changes(permit, since: token)
      token = event.token
      return event
    }
    try world.mark([3], favourite: true)
    #expect(try world.fetch(app) == [1, 2, 3])
    var heard = try event()
    #expect(heard.inserted.map(\.number.rawValue) == [3] && heard.changed.isEmpty && heard.removed.isEmpty)
    let open = try app.authorize(.read)
    try world.mark([1], favourite: false)
    #expect(try world.fetch(app) == [2, 3])
    #expect(!world.broker.mayRelease(open), "a prepared reply may show the photo")
    heard = try event()
    #expect(try heard.removed == [world.sealed(permit, 1)] && heard.inserted.isEmpty)
    try world.mark([4], neverShare: true)
    try world.mark([4, 5], favourite: true)
    try world.mark([5], hidden: true)
    #expect(try world.fetch(app) == [2, 3])
    try world.restart()
    #expect(try world.fetch(world.again(app)) == [2, 3])
    try world.mark([5], hidden: false)
    #expect(try world.fetch(world.again(app)) == [2, 3, 5])
  }

  @Test func `R154 an asset that never fits leaves no trace`() throws {
    let world = try World()
    try world.mark([1], favourite: true)
    let app = try world.app(.select, selecting: [1], live: favourites)
    let permit = try app.authorize(.read)
    let token = try world.changes(permit, since: nil).token
    let other = try world.insert("new.jpg")
    try world.mark([2, other], hidden: true)
    _ = try album(world, [2, other])
    #expect(try world.changes(permit, since: token).isEmpty)
    #expect(world.broker.mayRelease(permit))
  }

  @Test func `R154 an album that is deleted makes the selection empty, and its undo fills it`() throws {
    let world = try World()
    let trips = try album(world, [1, 2])
    let app = try world.app(.select, selecting: [1, 2], live: LiveSelection(album: trips))
    _ = try album(world, [3, 4], trips, removing: [1])
    #expect(try world.fetch(app) == [2, 3, 4])
    let deletion = OwnedAlbumEdit(title: nil, adding: nil, removing: nil, isShared: nil, deletes: true)
    _ = try done { world.anna.albums.edit(trips, of: world.photos, deletion, completion: $0) }
    #expect(try world.fetch(app) == [])
    try undo(world)
    #expect(try world.fetch(app) == [2, 3, 4])
  }

  @Test func `R154 photos arrive in a folder, move out of it, and become favourites in it`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [], live: LiveSelection(folder: "trips/é"))
    let inside = try file(world, "trips/e\u{301}/a.jpg")
    let beside = try file(world, "trips/éa/b.jpg")
    #expect(try world.fetch(app) == [inside])
    _ = try file(world, "elsewhere/a.jpg", inside)
    #expect(try world.fetch(app) == [])
    _ = try file(world, "trips/é/b.jpg", beside)
    #expect(try world.fetch(app) == [beside])
    // Paths are not in memory: the mark alone makes it fit.
    let both = LiveSelection(folder: "trips", favourites: true)
    _ = try world.edit(app, live: .begin(both))
    #expect(try world.fetch(app) == [])
    try world.mark([beside, inside], favourite: true)
    #expect(try world.fetch(app) == [beside])
    try world.restart()
    #expect(try world.fetch(world.again(app)) == [beside])
  }

  @Test func `R154 dates and types are conditions`() throws {
    let world = try World()
    let since = try #require(Timestamp(seconds: 1_600_000_008))
    let app = try world.app(.select, selecting: [8, 9], live: LiveSelection(createdFrom: since, mediaType: .image))
    let new = try world.insert("new.jpg")
    #expect(try world.fetch(app) == [8, 9, new])
    var video = world.photo("new.mp4")
    video.row.mediaType = .video
    _ = try done { world.library.scan.apply([.insert(video)], completion: $0) }
    #expect(try world.fetch(app) == [8, 9, new])
  }

  @Test func `R154 photos taken out by hand stay out, and can be put back`() throws {
    let world = try World()
    try world.mark([1, 2, 3], favourite: true)
    let app = try world.app(.select, selecting: [1, 2, 3], live: favourites)
    _ = try world.edit(app, remove: [1, 2])
    try world.mark([1], favourite: false)
    try world.mark([1], favourite: true)
    #expect(try world.fetch(app) == [3])
    #expect(code { try world.edit(app, add: [4]) } == .refused, "it does not fit")
    _ = try world.edit(app, add: [2])
    #expect(try world.fetch(app) == [2, 3])
    try undo(world)
    #expect(try world.fetch(app) == [3])
    try world.restart()
    #expect(try world.anna.grants.list().first?.record.live?.excluded.map(\.rawValue) == [1, 2])
    _ = try world.edit(app, live: .end)
    try world.mark([3], favourite: false)
    #expect(try world.fetch(world.again(app)) == [3], "it is an ordinary selection now")
  }

  @Test func `R131 R154 an undo restores the selection from before, whatever arrived meanwhile`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    try world.mark([2, 3], favourite: true)
    _ = try world.edit(app, add: [2, 3], live: .begin(favourites))
    try world.mark([4], favourite: true)
    #expect(try world.fetch(app) == [2, 3, 4])
    try undo(world)
    #expect(try world.fetch(app) == [1, 2])
    try world.mark([5], favourite: true)
    #expect(try world.fetch(app) == [1, 2])
    try undo(world)
    #expect(try world.fetch(app) == [2, 3, 4, 5], "live again, with what fits now")
    _ = try world.edit(app, remove: [2])
    try world.mark([6], favourite: true)
    try undo(world)
    #expect(try world.fetch(app) == [2, 3, 4, 5, 6])
  }

  @Test func `R154 a revoked selection stays up to date, and one that ended is not live`() throws {
    let world = try World()
    try world.mark([1], favourite: true)
    let app = try world.app(.select, selecting: [1], live: favourites)
    _ = try world.set(app, .denied)
    try world.mark([1], favourite: false)
    try world.mark([2], favourite: true)
    _ = try world.set(app, .limited)
    #expect(try world.fetch(world.again(app)) == [2])
    _ = try world.set(app, .notDetermined)
    #expect(world.broker.grant(world.key(app))?.record.live == nil)
  }

  @Test func `R43 R154 an app's own additions stay, though they do not fit`() throws {
    let world = try World()
    try world.mark([1], favourite: true)
    let app = try world.app(.select, selecting: [1], live: favourites)
    let permit = try app.authorize(.add)
    let own = try world.create(permit, world.photo("own.jpg"))
    let fits = try world.create(permit, world.photo("fits.jpg", flags: .favourite))
    try world.mark([1, Int(fits.rawValue)], favourite: false)
    #expect(try world.fetch(app) == [Int(own.rawValue), Int(fits.rawValue)])
    try world.restart()
    #expect(try world.fetch(world.again(app)) == [Int(own.rawValue), Int(fits.rawValue)])
  }

  @Test func `R41 R154 an asset leaves before the commit, and a failure brings it back if that can be stored`() throws {
    let world = try World()
    try world.mark([1, 2], favourite: true)
    let app = try world.app(.select, selecting: [1, 2], live: favourites)
    world.store.isDeferred = true
    world.library.marks.set(world.selection([1]), favourite: false, hidden: nil, neverShare: nil) { _ in }
    #expect(try world.fetch(app) == [2])
    world.store.refusals = 1
    world.store.complete()
    #expect(try world.fetch(app) == [2])
    world.store.completeAll()
    #expect(try world.fetch(app) == [1, 2])
    world.store.isDeferred = false
    try world.restart()
    #expect(try world.fetch(world.again(app)) == [1, 2])
  }

  @Test func `R154 a change during the commit of the decision is caught up`() throws {
    let world = try World()
    try world.mark([1, 2], favourite: true)
    let app = try world.app(.select, selecting: [])
    world.store.isDeferred = true
    world.anna.selections.edit(
      library: world.photos, app: app.app!.identifier, adding: world.selection([1, 2]), removing: nil,
      live: .begin(favourites)
    ) { _ in }
    world.library.marks.set(world.selection([3]), favourite: true, hidden: nil, neverShare: nil) { _ in }
    world.library.marks.set(world.selection([1]), favourite: false, hidden: nil, neverShare: nil) { _ in }
    world.store.completeAll()
    #expect(try world.fetch(app) == [2, 3])
    world.store.isDeferred = false
    try world.restart()
    #expect(try world.fetch(world.again(app)) == [2, 3])
  }

  @Test func `R154 an exclusion during the commit of an arrival wins`() throws {
    let world = try World()
    try world.mark([1, 2], favourite: true)
    let app = try world.app(.select, selecting: [1, 2], live: favourites)
    world.store.isDeferred = true
    world.library.marks.set(world.selection([3]), favourite: true, hidden: nil, neverShare: nil) { _ in }
    world.anna.selections.edit(
      library: world.photos, app: app.app!.identifier, adding: nil, removing: world.selection([1])
    ) { _ in }
    #expect(try world.fetch(app) == [2])
    world.store.completeAll()
    #expect(try world.fetch(app) == [2, 3])
    world.store.isDeferred = false
    try world.restart()
    #expect(try world.fetch(world.again(app)) == [2, 3])
  }

  @Test func `R154 at most so many photos are taken out by hand`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [], live: LiveSelection(mediaType: .image))
    let many = try world.insertMany(BrokerLimits.liveExclusions + 1, "m")
    #expect(code { try world.edit(app, remove: many) } == .refused)
    #expect(try world.fetch(app).count == many.count + 10)
    _ = try world.edit(app, remove: Array(many.dropFirst()))
    #expect(try world.fetch(app).count == 11)
  }

  @Test func `R154 an insert costs the same with more grants that are not live`() throws {
    let world = try World()
    _ = try world.app(.select, selecting: [1], live: favourites)
    func changes() throws -> Int {
      let before = world.store.changesGiven
      try world.insert("a\(before).jpg")
      return world.store.changesGiven - before
    }
    let alone = try changes()
    for index in 0..<20 { _ = try world.app(.select, selecting: [2], manifest: .test("org.example.app\(index)")) }
    #expect(try changes() == alone)
  }

  @Test func `R60 R154 photos taken out on the app's own page stay out, and none that does not fit is added`() throws {
    let world = try World()
    try world.mark([1, 2], favourite: true)
    let app = try world.app(.select, selecting: [1, 2], live: favourites)
    app.presentLimitedLibraryPicker { _ in }
    try world.answer(.select, selecting: [2])
    try world.mark([3], favourite: true)
    #expect(try world.fetch(app) == [2, 3])
    app.presentLimitedLibraryPicker { _ in }
    #expect(code { try world.answer(.select, selecting: [2, 3, 5]) } == .refused)
    try world.mark([2], favourite: false)
    #expect(try world.fetch(app) == [3])
    try world.answer(.select, selecting: [3])
    #expect(try world.fetch(app) == [3])
  }

  @Test func `R8 R154 a rule gives a live selection`() throws {
    let world = try World()
    try world.mark([1], favourite: true)
    let rule = RuleRecord(
      library: world.photos, name: "frames", identifier: nil, uid: World.appUser, level: .readWrite, answer: .select,
      selectors: [RuleSelector(favourite: true)], live: favourites, author: World.anna, role: .owner,
      made: world.environment.now)
    _ = try done { world.anna.batch.apply([], rules: [rule], completion: $0) }
    try world.restart()
    world.delegate.ruleSelection = world.selection([1])
    let app = try world.app()
    #expect(try done { app.requestAuthorization(level: .readWrite, completion: $0) }.status == .limited)
    try world.mark([2], favourite: true)
    try world.mark([1], favourite: false)
    #expect(try world.fetch(app) == [2])
  }

  @Test func `R146 R154 a file that is applied twice keeps what people took out`() throws {
    let world = try World()
    try world.mark([1, 2], favourite: true)
    let app = try world.app(.select, selecting: [3])
    var entry = GrantEntry(
      key: world.key(app), live: favourites, settings: GrantSettings(), adding: world.selection([1, 2]), replaces: true)
    func apply() throws { _ = try done { world.anna.batch.apply([entry], completion: $0) } }
    try apply()
    _ = try world.edit(app, remove: [1])
    let decisions = world.store.log.count
    try apply()
    #expect(try world.fetch(app) == [2])
    #expect(world.store.log.count == decisions, "nothing changed")
    (entry.live, entry.adding, entry.replaces) = (nil, world.selection([5]), false)
    try apply()
    try world.mark([2], favourite: false)
    #expect(try world.fetch(app) == [2, 5], "an ordinary selection")
  }

  @Test func `R154 other conditions bring back nothing that people took out`() throws {
    let world = try World()
    try world.mark([1, 2, 3], favourite: true)
    let app = try world.app(.select, selecting: [1, 2, 3], live: favourites)
    _ = try world.edit(app, remove: [1])
    func date(_ number: Int) -> Timestamp? { world.row(number)?.creationDate }
    let early = LiveSelection(createdFrom: date(1), createdBefore: date(5))
    _ = try world.edit(app, add: [1, 2, 3, 4], live: .begin(early))
    #expect(try world.fetch(app) == [2, 3, 4])
    _ = try world.edit(app, add: [1])
    #expect(try world.fetch(app) == [1, 2, 3, 4], "until somebody puts it back")
  }

  @Test func `R154 one photo and all photos are measured by the same conditions`() throws {
    let world = try World()
    try world.mark([2, 4], favourite: true)
    let members = [1, 2, 3]
    let trips = try album(world, members)
    let dates = world.library.catalogue.numbers(in: world.selection([3, 5])).map {
      world.library.catalogue.row(of: $0)?.creationDate
    }
    for album in [nil, trips] {
      for favourites in [false, true] {
        for type in [nil, .image, .video] as [MediaType?] {
          for (from, before) in [(nil, nil), (dates[0], nil), (nil, dates[1]), (dates[0], dates[1])] {
            let live = LiveSelection(
              album: album, createdFrom: from, createdBefore: before, mediaType: type, favourites: favourites)
            let met = world.library.live.met(live)
            for number in 1...6 {
              let row = try #require(world.row(number))
              #expect(
                live.isMet(by: row, isMember: members.contains(number))
                  == world.library.catalogue.contains(row.number, in: met))
            }
          }
        }
      }
    }
  }
}
