import Broker
import Catalogue
import Macaroons
import PhotoModel
import Testing

/// Fails if `authorize` or `mayRelease` stops checking.
@Suite struct ReleaseTests {
  enum Edit: CaseIterable {
    case deselect, limit, deny, restrict, forget, pause, revokeToken, revokeAll, removeApp, removeLibrary,
      withdrawOffer, giveNoReason,
      expire, hide
  }

  @Test(arguments: Edit.allCases)
  func `R18 nothing authorized before a revocation leaves after it, and nothing more is authorized`(_ edit: Edit)
    throws
  {
    let world = try World()
    let app = try world.app(edit == .limit ? .allow : .select, selecting: [1, 2])
    let identifier = app.app!.identifier
    let permit = try app.authorize(.read)
    #expect(world.broker.mayRelease(permit))
    world.store.isDeferred = true
    var ends = true
    let anna = world.anna
    func none<Value>(_: Result<Value, BrokerError>) {}
    switch edit {
    case .deselect:
      anna.selections.edit(
        library: world.photos, app: identifier, adding: nil, removing: world.selection([2]), completion: none)
      ends = false
    case .limit:
      anna.grants.set(
        library: world.photos, app: identifier, level: .readWrite, GrantSettings(status: .limited), completion: none)
      ends = false
    case .deny:
      anna.grants.set(
        library: world.photos, app: identifier, level: .readWrite, GrantSettings(status: .denied), completion: none)
    case .restrict:
      world.root.grants.set(
        library: world.photos, app: identifier, level: .readWrite, GrantSettings(status: .restricted), completion: none)
    case .forget:
      anna.grants.set(
        library: world.photos, app: identifier, level: .readWrite, GrantSettings(status: .notDetermined),
        completion: none)
    case .pause:
      anna.grants.pause(RevocationScope(library: world.photos, app: identifier), paused: true, completion: none)
    case .revokeToken: anna.tokens.revoke(permit.accessor, completion: none)
    case .revokeAll: anna.grants.revoke(RevocationScope(everything: true), completion: none)
    case .removeApp: anna.apps.remove(identifier, completion: none)
    case .removeLibrary: anna.libraries.remove(world.photos, completion: none)
    case .withdrawOffer: anna.rights.offer(world.photos, to: [], completion: none)
    case .giveNoReason:
      world.store.isDeferred = false
      _ = try done { app.introduce(.test(reason: nil), completion: $0) }
    case .expire:
      world.store.isDeferred = false
      let end = world.environment.now.advanced(by: .seconds(60))
      _ = try done {
        anna.grants.set(
          library: world.photos, app: identifier, level: .readWrite, GrantSettings(end: .at(end)), completion: $0)
      }
      let later = try app.authorize(.read)
      world.environment.advance(.seconds(60))
      #expect(!world.broker.mayRelease(later))
    case .hide:
      world.broker.contentNarrowed(in: world.photos)
      ends = false
    }
    #expect(!world.broker.mayRelease(permit))
    if ends {
      #expect(code { try app.authorize(.read) } != nil)
    } else {
      #expect(world.broker.mayRelease(try app.authorize(.read)))
    }
    if edit == .deselect { #expect(try world.fetch(app) == [1]) }
    if edit == .limit { #expect(try world.fetch(app) == []) }
  }

  enum Taking: CaseIterable { case deselect, hide, remove, share, limit }

  @Test(arguments: Taking.allCases)
  func `R40 R125 the revocation of other assets is unnoticeable to an attenuated token`(
    _ taking: Taking
  ) throws {
    let world = try World()
    let app = try world.app(taking == .limit ? .allow : .select, selecting: [1, 2])
    let token = try #require(try done { app.requestAuthorization(level: .readWrite, completion: $0) }.token)
    func holder(of number: Int) throws -> Permit {
      let seen = try world.library.seals[app.app!.identifier].seal(#require(world.row(number)).identifier)
      let name = UInt128(seen.high) << 64 | UInt128(seen.low)
      let session = world.connect()
      _ = try session.attach(Macaroon(text: token).adding(.assets([name])).text)
      return try session.authorize(.read)
    }
    let (whole, first, second) = (try app.authorize(.read), try holder(of: 1), try holder(of: 2))
    switch taking {
    case .deselect: _ = try world.edit(app, remove: [2])
    case .hide: try world.mark([2], hidden: true)
    case .remove: try world.remove(2)
    case .share: try world.update(2, isShared: true)
    case .limit: _ = try world.set(app, .limited)
    }
    let isAll = taking == .limit
    #expect([whole, first, second].map(world.broker.mayRelease) == [false, !isAll, false])
    // A later restriction of another kind concerns all.
    _ = try world.set(app, .denied)
    #expect(!world.broker.mayRelease(first))
  }

  @Test func `R18 nothing leaves for a closed connection`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let permit = try app.authorize(.read)
    app.close()
    #expect(!world.broker.mayRelease(permit))
    #expect(code { try app.authorize(.read) } == .tokenRequired)
  }

  @Test func `R18 a wider grant is in force only once the disk has it`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1])
    let permit = try app.authorize(.read)
    world.store.isDeferred = true
    let answer = Box<Result<SelectionOutcome, BrokerError>>()
    world.anna.selections.edit(
      library: world.photos, app: app.app!.identifier, adding: world.selection([2]), removing: nil
    ) { answer.value = $0 }
    #expect(try world.fetch(app) == [1])
    #expect(world.broker.mayRelease(permit))
    world.store.completeAll()
    #expect(try world.fetch(app) == [1, 2])
    #expect(try answer.value?.get().added.count == 1)
    #expect(world.broker.mayRelease(permit))
  }

  @Test func `R133 a revocation that the disk refuses holds, and reports it`() throws {
    let world = try World()
    let app = try world.app(.allow)
    world.store.refusals = 1
    #expect(code { try world.set(app, .denied) } == .failed)
    #expect(code { try app.authorize(.read) } == .photos(.accessUserDenied))
    // Later edits build on the restriction and do not lift it.
    _ = try done {
      world.anna.grants.set(
        library: world.photos, app: app.app!.identifier, level: .readWrite, GrantSettings(status: .denied),
        completion: $0)
    }
    try world.restart()
    #expect(try world.anna.grants.list().map(\.status) == [.denied])
  }

  @Test
  func `R132 R133 a pause that the disk refused is stored by the next one, and a later one needs no disk`()
    throws
  {
    let world = try World()
    _ = try world.app(.allow)
    let pause = {
      try done { world.anna.grants.pause(RevocationScope(everything: true), paused: true, completion: $0) }
    }
    world.store.refusals = 1
    #expect(code { _ = try pause() } == .failed)
    #expect(try pause().decisions.count == 1)
    world.store.refusals = 1
    #expect(try pause().decisions.isEmpty)
    #expect(world.store.refusals == 1)
    world.store.refusals = 0
    try world.restart()
    #expect(try world.anna.grants.list().map(\.record.isPaused) == [true])
  }

  @Test func `R133 a selection edit that the disk refused is written by the next one`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2, 3])
    let own = try done { app.introduce(.test(), completion: $0) }.token
    world.store.refusals = 1
    #expect(code { try world.edit(app, remove: [2]) } == .failed)
    #expect(try world.fetch(app) == [1, 3])
    _ = try world.edit(app, remove: [2])
    try world.restart()
    let again = world.connect()
    _ = try again.attach(own)
    _ = try done { again.requestAuthorization(level: .readWrite, completion: $0) }
    #expect(try world.fetch(again) == [1, 3])
  }

  @Test func `R12 a grant that the disk refuses changes nothing, and the prompt stays open`() throws {
    let world = try World()
    let app = try world.app()
    app.requestAuthorization(level: .readWrite) { _ in }
    world.store.refusals = 1
    #expect(code { try world.answer(.allow) } == .failed)
    #expect(try app.status(.readWrite) == .notDetermined)
    #expect(code { try app.authorize(.read) } == .promptNeeded(world.key(app)))
    try world.answer(.select, selecting: [1])
    #expect(try world.fetch(app) == [1])
  }

  @Test func `R4 a revocation overtakes a grant that is being written`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1])
    let token = try done { app.requestAuthorization(level: .readWrite, completion: $0) }.token!
    world.store.isDeferred = true
    let widened = Box<Bool>()
    world.anna.grants.set(
      library: world.photos, app: app.app!.identifier, level: .readWrite, GrantSettings(status: .authorized)
    ) { _ in widened.value = true }
    world.anna.selections.edit(
      library: world.photos, app: app.app!.identifier, adding: nil, removing: world.selection([1])
    ) { _ in }
    world.anna.grants.revoke(RevocationScope(library: world.photos)) { _ in }
    #expect(code { try app.authorize(.read) } == .photos(.accessUserDenied))
    #expect(code { try world.connect().attach(token) } == .tokenRefused)
    while world.store.pending > 0 {
      world.store.complete()
      #expect(code { try app.authorize(.read) } == .photos(.accessUserDenied))
    }
    #expect(widened.value == true)
    try world.restart()
    #expect(try world.anna.grants.list().map(\.status) == [.denied])
  }

  @Test func `R51 a photo removed while it is being added stays away`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1])
    let identifier = app.app!.identifier
    var seen: [[Int]] = []
    let watching = try world.library.changes.observe(
      since: nil, grant: try app.authorize(.observe).grant, attenuation: nil
    ) {
      seen.append((try? world.fetch(app)) ?? [])
    }
    world.store.isDeferred = true
    world.anna.selections.edit(library: world.photos, app: identifier, adding: world.selection([2, 3]), removing: nil) {
      _ in
    }
    world.anna.selections.edit(library: world.photos, app: identifier, adding: nil, removing: world.selection([2])) {
      _ in
    }
    world.store.complete()
    #expect(!seen.isEmpty && seen.allSatisfy { !$0.contains(2) })
    withExtendedLifetime(watching) {}
    #expect(try world.fetch(app) == [1, 3])
    world.store.completeAll()
    #expect(try world.fetch(app) == [1, 3])
    world.store.isDeferred = false
    try world.restart()
    #expect(try world.anna.grants.list().first?.selected == 2)
  }

  @Test func `R132 pausing and resuming keep the selection and the token`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    let identifier = app.app!.identifier
    _ = try done {
      world.anna.grants.pause(RevocationScope(library: world.photos, app: identifier), paused: true, completion: $0)
    }
    #expect(code { try app.authorize(.read) } == .photos(.accessUserDenied))
    #expect(try app.status(.readWrite) == .limited)
    #expect(try app.describeAccess(.readWrite).isPaused)
    #expect(
      code {
        try done {
          world.root.grants.pause(
            RevocationScope(library: world.photos, app: identifier), paused: false, completion: $0)
        }
      }
        == .notPermitted)
    _ = try done {
      world.anna.grants.pause(RevocationScope(library: world.photos, app: identifier), paused: false, completion: $0)
    }
    #expect(try world.fetch(app) == [1, 2])
  }

  @Test func `R130 an end holds on both clocks, survives setting one back, and requires a new token`()
    throws
  {
    let world = try World()
    let app = try world.app(.allow)
    let identifier = app.app!.identifier
    func settle(_ settings: GrantSettings) throws {
      _ = try done {
        world.anna.grants.set(library: world.photos, app: identifier, level: .readWrite, settings, completion: $0)
      }
    }
    try settle(GrantSettings(end: .at(world.environment.now.advanced(by: .seconds(60)))))
    #expect(world.broker.expiry.runDue() == world.environment.monotonic + .seconds(60))
    _ = try app.authorize(.read)
    world.environment.monotonic += .seconds(61)
    world.environment.now = world.environment.now.advanced(by: .seconds(-3600))
    #expect(code { try app.authorize(.read) } == .promptNeeded(world.key(app)))
    #expect(try app.status(.readWrite) == .notDetermined)
    #expect(world.broker.expiry.runDue() == nil)
    try settle(GrantSettings(status: .authorized))
    #expect(code { try app.authorize(.read) } == .tokenRefused)
    _ = try done { app.requestAuthorization(level: .readWrite, completion: $0) }
    _ = try app.authorize(.read)
  }

  @Test func `R144 a restored database brings no revoked grant back`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1])
    let token = try done { app.requestAuthorization(level: .readWrite, completion: $0) }.token!
    let backup = world.store.contents
    _ = try world.set(app, .denied)
    let floor = world.store.contents.settings[SettingName.epochFloor]!
    world.store.rewind(to: backup)
    world.store.put(SettingName.outsideEpochFloor, floor)
    try world.restart()
    let again = world.connect()
    #expect(code { try again.attach(token) } == .tokenRefused)
    #expect(try world.anna.grants.list().map(\.record.isPaused) == [true])
    #expect(UInt64(world.store.contents.settings[SettingName.epochFloor]!)! > UInt64(floor)! - 1)
  }

  @Test func `R144 a restored database recognizes no app by an earlier token`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1])
    let own = try done { app.introduce(.test(), completion: $0) }.token
    let backup = world.store.contents
    _ = try done { world.anna.apps.remove(app.app!.identifier, completion: $0) }
    let floor = world.store.contents.settings[SettingName.epochFloor]!
    world.store.rewind(to: backup)
    world.store.put(SettingName.outsideEpochFloor, floor)
    for _ in 0..<2 {
      try world.restart()
      #expect(code { try world.connect().attach(own) } == .tokenRefused)
    }
    // The owner restores access by a token of the grant.
    _ = try done { world.anna.rights.offer(world.photos, to: [World.appUser], completion: $0) }
    let identifier = try #require(world.anna.grants.list().first).record.key.app
    let note = try #require(world.store.log.lastIndex { $0.action == "mark" && $0.library == world.photos })
    _ = try done { world.anna.decisions.undo(UInt64(note), completion: $0) }
    _ = try done {
      world.anna.grants.pause(RevocationScope(library: world.photos, app: identifier), paused: false, completion: $0)
    }
    let token = try done {
      world.anna.tokens.mint(library: world.photos, app: identifier, level: .readWrite, completion: $0)
    }
    let again = world.connect()
    _ = try again.attach(token.text)
    #expect(try world.fetch(again) == [1])
  }

  @Test func `R134 the receipt reports deliveries and ended accesses`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let permit = try app.authorize(.read)
    world.delegate.effect = NarrowingEffect(connections: 1, streams: 2, dropped: 3)
    for (asset, bytes) in [(1, 100), (2, 50), (1, 100)] as [(UInt64, Int64)] {
      _ = world.store.record(
        LedgerRecord(
          time: world.environment.now, app: permit.app, accessor: permit.accessor,
          asset: AssetIdentifier(high: 0, low: asset), rendition: "original", bytes: bytes),
        in: world.photos)
    }
    let receipt = try done { world.anna.grants.revoke(RevocationScope(app: permit.app), completion: $0) }
    #expect(
      receipt
        == Receipt(
          grants: 1, effect: world.delegate.effect, delivered: Delivered(assets: 2, bytes: 250), decisions: [5]))
    #expect(try done { world.anna.grants.revoke(RevocationScope(app: permit.app), completion: $0) }.grants == 0)
  }

  @Test func `R134 queued replies are dropped at the moment of the revocation`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    let permit = try app.authorize(.read)
    let mayLeave = Box<Bool>()
    world.delegate.onNarrowing = { _ in mayLeave.value = world.broker.mayRelease(permit) }
    _ = try world.edit(app, remove: [1])
    #expect(mayLeave.value == false)
  }
}
