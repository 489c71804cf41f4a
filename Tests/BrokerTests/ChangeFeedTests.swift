@testable import Broker
import Catalogue
import Limits
import Macaroons
import PhotoModel
import TestSupport
import Testing

/// An app's list that follows the events always equals a new fetch.
struct ChangeFeedTests {
  private struct Follower {
    var token: String?
    var list: [AssetIdentifier: AssetRow] = [:]
    var steps = 0
    var resynchronizations = 0
  }

  private static func follow(_ world: World, _ permit: Permit, _ follower: inout Follower) throws {
    let now = try world.list(permit)
    let event = try world.changes(permit, since: follower.token)
    if follower.token == nil || event.resynchronize {
      if event.resynchronize { follower.resynchronizations += 1 }
      follower.list = now
    } else {
      follower.steps += 1
      let seals = try permit.library.seals[permit.app]
      for identifier in event.removed {
        #expect(follower.list.removeValue(forKey: identifier) != nil, "removed what was not there")
      }
      for row in event.inserted {
        #expect(
          follower.list.updateValue(row, forKey: try seals.seal(row.identifier)) == nil, "inserted what was there")
      }
      for row in event.changed {
        #expect(
          follower.list.updateValue(row, forKey: try seals.seal(row.identifier)) != nil, "changed what was not there")
      }
    }
    #expect(follower.list == now)
    let unchanged = try world.changes(permit, since: event.token)
    #expect(unchanged.isEmpty && unchanged.token == event.token, "a token of now says that nothing happened")
    follower.token = event.token
  }

  @Test func `R71 a forgotten grant's change token is invalid for the next one, even after a restart`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1])
    let (token, manifest) = (try world.changes(app.authorize(.read), since: nil).token, app.app!.record)
    _ = try world.set(app, .notDetermined)
    try world.restart()
    world.environment.advance(.seconds(1))
    let key = GrantKey(library: world.photos, app: manifest.identifier, level: .readWrite)
    let entry = GrantEntry(
      key: key, settings: GrantSettings(status: .limited), adding: world.selection([7]), replaces: true)
    _ = try done { world.anna.batch.apply([entry], completion: $0) }
    let grant = try #require(world.broker.grants(in: world.photos).first)
    #expect(try world.library.changes.list(since: token, grant: grant, attenuation: nil).resynchronize)
  }

  @Test(arguments: 0..<16)
  func `R71 changes applied to the earlier list give the later one, even after a restart or a lost log`(
    _ seed: Int
  )
    throws
  {
    var random = SeededGenerator(UInt64(seed))
    let world = try World()
    let limited = try world.app(.select, selecting: [1, 3, 5])
    let full = try world.app(.allow, manifest: .test("org.example.full"))
    let keys = [world.key(limited), world.key(full)]
    let identities = [limited, full].map { $0.app!.record }
    var sessions = [limited, full]
    var followers = [Follower(), Follower()]
    var numbers = Array(0..<10)
    var (away, returns) = ([Int: AssetRecord](), 0)
    // Seeds from 8 on also change the limited app's access.
    let switches = seed >= 8

    for round in 0..<60 {
      let number = numbers.randomElement(using: &random)!
      switch Int.random(in: 0..<15, using: &random) {
      case 0 where !away.isEmpty:
        let (number, back) = away.remove(at: away.startIndex)
        #expect(try done { world.library.scan.apply([.insert(back)], completion: $0) } == [AssetNumber(UInt32(number))])
        returns += 1
      case 0, 1:
        numbers.append(try world.insert("new\(round).jpg", flags: round % 5 == 0 ? .cloudShared : [], hint: "\(round)"))
        _ = try? world.edit(sessions[0], add: [numbers.last!])
      case 2: try world.update(number)
      case 3 where numbers.count > 10:
        let number = numbers[10...].randomElement(using: &random)!
        guard let name = world.row(number)?.fileName,
          let record = world.store.assets[world.photos]?[AssetNumber(UInt32(number))],
          !record.resources.isEmpty, world.row(number)?.flags.contains(.trashed) == false
        else { continue }
        try world.lose(number)
        away[number] = world.photo(name, hint: record.resources[0].identityHint)
      case 3: try world.remove(number)
      case 4: try world.mark([number], favourite: Bool.random(using: &random))
      case 5, 6: try world.mark([number], hidden: Bool.random(using: &random))
      case 7: try world.mark([number], neverShare: Bool.random(using: &random))
      case 8, 9:
        if world.broker.grant(keys[0])?.record.status == .limited { _ = try world.edit(sessions[0], add: [number]) }
      case 10, 11:
        if world.broker.grant(keys[0])?.record.status == .limited { _ = try world.edit(sessions[0], remove: [number]) }
      case 12:
        let permit = try sessions[1].authorize(.read)
        _ = try? world.perform(permit, [.delete([try world.target(permit, number)])])
      case 13: try world.update(number, isShared: Bool.random(using: &random))
      default:
        if switches { _ = try world.set(sessions[0], round % 2 == 0 ? .authorized : .limited) }
      }
      if round % 7 == 6 {
        try world.restart()
        sessions = try identities.enumerated().map { index, record in
          let session = world.connect()
          let app = try #require(world.broker.app(record.identifier))
          let token = try done {
            world.anna.tokens.mint(library: world.photos, app: app.identifier, level: .readWrite, completion: $0)
          }
          _ = try session.attach(token.text)
          return session
        }
      }
      if Int.random(in: 0..<6, using: &random) == 0 { world.foldLog() }
      // Visible changes may be processed before the app asks.
      if Bool.random(using: &random) {
        for key in keys {
          if let grant = world.broker.grant(key) {
            _ = world.library.changes.noteSeen(by: grant, while: { Bool.random() })
          }
        }
      }
      for index in followers.indices where Int.random(in: 0..<3, using: &random) > 0 {
        try Self.follow(world, sessions[index].authorize(.read), &followers[index])
      }
    }
    #expect(returns > 0 || away.count < 2)
    #expect(followers[1].steps > 20 && followers[1].resynchronizations == 0)
    if !switches { #expect(followers[0].resynchronizations == 0) }
  }

  @Test
  func `R45 R71 an asset that becomes cloud-shared leaves limited views at once with an event and returns as new`()
    throws
  {
    let world = try World()
    let limited = try world.app(.select, selecting: [1, 2])
    let full = try world.app(.allow, manifest: .test("org.example.full"))
    let permits = try [limited, full].map { try $0.authorize(.read) }
    let observers = try permits.map {
      try world.library.changes.observe(since: nil, grant: $0.grant, attenuation: nil) {}.observer
    }
    let tokens = try permits.map { try world.changes($0, since: nil).token }
    let name = try world.library.seals[permits[0].app].seal(#require(world.row(2)).identifier)

    try world.update(2, isShared: true)
    #expect(try world.fetch(limited) == [1] && world.fetch(full).contains(2))
    #expect(permits.map(world.broker.mayRelease) == [false, true], "what was admitted with it leaves no more")
    for event in [
      try world.library.changes.next(observers[0]), try world.changes(limited.authorize(.read), since: tokens[0]),
    ] {
      #expect(event?.removed == [name] && event?.changed.isEmpty == true && event?.inserted.isEmpty == true)
    }
    for event in [try world.library.changes.next(observers[1]), try world.changes(permits[1], since: tokens[1])] {
      #expect(event?.changed.map(\.number) == [AssetNumber(2)] && event?.removed.isEmpty == true)
    }

    // A limited view does not see changes of a cloud-shared asset.
    let away = try world.changes(limited.authorize(.read), since: nil).token
    try world.mark([2], favourite: true)
    try world.mark([2], hidden: true)
    try world.mark([2], hidden: false)
    #expect(
      try world.library.changes.next(observers[0]) == nil
        && world.changes(limited.authorize(.read), since: nil).token == away)

    try world.update(2, isShared: false)
    #expect(try world.fetch(limited) == [1, 2])
    #expect(try world.library.changes.next(observers[0])?.inserted.map(\.number) == [AssetNumber(2)])
    #expect(try world.changes(limited.authorize(.read), since: away).inserted.map(\.number) == [AssetNumber(2)])

    // Removing a cloud-shared asset is invisible too.
    try world.update(2, isShared: true)
    _ = try world.library.changes.next(observers[0])
    let last = try world.changes(limited.authorize(.read), since: nil).token
    try world.remove(2)
    #expect(
      try world.library.changes.next(observers[0]) == nil
        && world.changes(limited.authorize(.read), since: nil).token == last)
  }

  @Test func `R113 a token expires by age despite little activity, and observers continue`() throws {
    let world = try World()
    let session = try world.app(.select, selecting: [1, 2])
    let permit = try session.authorize(.read)
    let old = try world.changes(permit, since: nil).token
    let (observer, _) = try world.library.changes.observe(since: nil, grant: permit.grant, attenuation: nil) {}
    world.environment.advance(BrokerLimits.changeTokenLifetime)
    let fresh = try world.changes(permit, since: old).token
    #expect(fresh != old, "one of now takes its place")
    world.environment.advance(.seconds(3_600))
    #expect(code { _ = try world.changes(permit, since: old) } == .photos(.persistentChangeTokenExpired))
    #expect(try world.changes(permit, since: fresh).isEmpty)
    try world.mark([1], favourite: true)
    #expect(try world.changes(permit, since: fresh).changed.count == 1)
    #expect(try world.library.changes.next(observer)?.changed.count == 1)
    world.environment.advance(.seconds(-40 * 24 * 3_600))
    #expect(
      try world.changes(permit, since: fresh).changed.count == 1, "of a clock that was set back nobody loses a change")
  }

  @Test
  func
    `R113 the log of changes is bounded on the disk, and a token reaches back as far as the changes that it could see`()
    throws
  {
    let world = try World()
    let session = try world.app(.select, selecting: [1, 2])
    let full = try world.app(.allow, manifest: .test("org.example.full"))
    let tokens = try [session, full].map { try world.changes($0.authorize(.read), since: nil).token }
    world.library.changes.log.capacity = 1_999
    for round in 0..<3 {
      _ = try world.insertMany(2_000, "burst \(round)")
      world.broker.changeLogTrimmer.trim()
      #expect(world.kept.changes.isEmpty, "of 2,000")
    }
    #expect(
      world.kept.views.allSatisfy { $0.seen.count <= 4_096 } && world.kept.views.contains { $0.seen.count == 4_096 })
    #expect(try world.changes(session.authorize(.read), since: tokens[0]).isEmpty, "nothing happened that it could see")
    #expect(
      code { try world.changes(full.authorize(.read), since: tokens[1]) } == .photos(.persistentChangeTokenExpired))

    try world.mark([1], favourite: true)
    world.foldLog()
    let key = world.key(session)
    try world.restart()
    let grant = try #require(world.broker.grant(key))
    let event = try world.library.changes.list(since: tokens[0], grant: grant, attenuation: nil)
    #expect(event.changed.map(\.number) == [AssetNumber(1)] && !event.resynchronize)
  }

  @Test func `a log that the disk kept from trimming costs no token its place`() throws {
    let world = try World()
    let session = try world.app(.select, selecting: [1, 2])
    let key = world.key(session)
    let token = try world.changes(session.authorize(.read), since: nil).token
    try world.mark([1], favourite: true)
    world.store.refusals = 1
    world.foldLog()
    try world.mark([2], favourite: true)
    let next = try world.changes(session.authorize(.read), since: token)
    #expect(next.changed.count == 2)
    for folds in [false, true] {
      if folds { world.foldLog() }
      try world.restart()
      let grant = try #require(world.broker.grant(key))
      #expect(try world.library.changes.list(since: token, grant: grant, attenuation: nil).changed.count == 2)
      #expect(try world.library.changes.list(since: next.token, grant: grant, attenuation: nil).isEmpty)
    }
  }

  @Test func `a view without its trimmed changes starts anew`() throws {
    let world = try World()
    let session = try world.app(.select, selecting: [1, 2])
    let key = world.key(session)
    let token = try world.changes(session.authorize(.read), since: nil).token
    try world.mark([1], favourite: true)
    world.foldLog()
    world.store.loseViews()
    try world.restart()
    let grant = try #require(world.broker.grant(key))
    #expect(try world.library.changes.list(since: token, grant: grant, attenuation: nil).resynchronize)
  }

  @Test(arguments: [true, false])
  func `R71 R113 old changes are trimmed, and every view starts anew, hidden assets or not`(
    _ isBusy: Bool
  ) throws {
    let world = try World()
    let session = try world.app(.select, selecting: [1])
    world.broker.changeLogTrimmer.trim()
    let first = try world.changes(session.authorize(.read), since: nil).token
    if isBusy { try world.mark([5, 6], favourite: true) }
    world.broker.changeLogTrimmer.trim()
    #expect(try world.changes(session.authorize(.read), since: first).isEmpty, "nothing happens before the period ends")

    world.environment.advance(BrokerLimits.changeLogPeriod)
    let (observer, _) = try world.library.changes.observe(
      since: nil, grant: session.authorize(.read).grant, attenuation: nil
    ) {}
    world.broker.changeLogTrimmer.trim()
    #expect(try world.library.changes.next(observer)?.resynchronize == true, "who watches is told to look anew")
    #expect((world.kept.changes.count > 0) == isBusy, "what the period held is kept through the next")
    let second = try world.changes(session.authorize(.read), since: nil).token
    try world.mark([1], favourite: true)
    #expect(try world.changes(session.authorize(.read), since: second).changed.count == 1)

    let app = try #require(session.app).identifier
    try world.restart()
    let again = world.connect()
    _ = try again.attach(
      done { world.anna.tokens.mint(library: world.photos, app: app, level: .readWrite, completion: $0) }.text)
    world.environment.advance(BrokerLimits.changeLogPeriod)
    world.broker.changeLogTrimmer.trim()
    #expect(world.kept.changes.count == 1, "only what came in the period that has just ended")
    world.environment.advance(BrokerLimits.changeLogPeriod)
    world.broker.changeLogTrimmer.trim()
    #expect(world.kept.changes.count == 0)
    world.environment.advance(.seconds(-1_000 * 24 * 3_600))
    let third = try world.changes(again.authorize(.read), since: nil).token
    world.broker.changeLogTrimmer.trim()
    #expect(try world.changes(again.authorize(.read), since: third).isEmpty, "a clock that is set back changes nothing")
  }

  @Test func `a token never skips a change, even if its position is unknown after a restart`() throws {
    let world = try World()
    let session = try world.app(.select, selecting: [1, 2])
    let permit = try session.authorize(.edit)
    let key = permit.grant.record.key
    func show(_ albums: Set<AlbumIdentifier>, _ grant: GrantState) {
      world.broker.setAlbums(AlbumAccess(visible: .only(albums), editable: .only(albums), mayCreate: true), of: grant)
    }
    show([], permit.grant)
    let start = try world.changes(permit, since: nil).token
    let album = try world.perform(permit, [.createAlbum(title: "Trip")]).createdAlbums[0]
    show([try world.library.seals[permit.app].open(album)], permit.grant)
    #expect(try world.changes(permit, since: start).albumsChanged)
    _ = try world.perform(permit, [.deleteAlbum(AlbumTarget(album))])
    let token = try world.changes(permit, since: start).token
    show([], permit.grant)

    try world.restart()
    let grant = try #require(world.broker.grant(key))
    show([], grant)
    var told = 0
    for round in 0..<6 {
      try world.mark([1], favourite: round % 2 == 0)
      do {
        let event = try world.library.changes.list(since: token, grant: grant, attenuation: nil)
        if event.resynchronize || event.changed.map(\.number) == [AssetNumber(1)] { told += 1 }
      } catch {
        #expect(error == .photos(.persistentChangeTokenExpired, ""))
        told += 1
      }
    }
    #expect(told == 6, "of every change the app is told, or asked to fetch again")
  }
}
