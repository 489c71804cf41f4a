import Broker
import Catalogue
import Macaroons
import PhotoModel
import Testing

@Suite struct DurationTests {
  private func reason(_ body: () throws -> Void) -> Reason.Code? {
    do { try body() } catch { return (error as? BrokerError)?.reason?.code }
    return nil
  }

  /// An app with a pending request.
  private func asking(_ world: World, process: Int64? = nil) throws -> Session {
    let app = try world.app(process: process)
    app.requestAuthorization(level: .readWrite) { _ in }
    return app
  }

  private func inADay(_ world: World) -> GrantSettings.End {
    .at(world.environment.now.advanced(by: .seconds(86_400)))
  }

  private func suggested(_ world: World) -> [Int] { world.anna.prompts.views(language: nil).map(\.suggested) }

  /// The same app on a new connection.
  private func reconnected(_ world: World, _ own: String, process: Int64? = nil) throws -> Session {
    let again = world.connect(process: process)
    _ = try again.attach(own)
    return again
  }

  @Test(arguments: [false, true])
  func `R160 at its end an answer is open again, its selection is a suggestion and its token is dead`(isSetBack: Bool)
    throws
  {
    let world = try World()
    let app = try asking(world)
    let own = try done { app.introduce(.test(), completion: $0) }.token
    try world.answer(.select, selecting: [1, 2], terms: .init(location: true), end: inADay(world))
    let token = try #require(try done { app.requestAuthorization(level: .readWrite, completion: $0) }.token)
    #expect(try world.fetch(app) == [1, 2])
    if isSetBack {
      world.environment.monotonic += .seconds(86_401)
      world.environment.now = world.environment.now.advanced(by: .seconds(-100_000))
    } else {
      world.environment.advance(.seconds(86_401))
    }
    #expect(try app.status(.readWrite) == .notDetermined)
    #expect(code { try app.authorize(.read) } == .promptNeeded(world.key(app)))
    // The request itself ends the grant, before any timer.
    app.requestAuthorization(level: .readWrite, wait: false) { _ in }
    #expect(suggested(world) == [2])
    #expect(world.store.log.last.map { [$0.action, $0.after] } == ["expire", "notDetermined"])
    try world.restart()
    let again = try reconnected(world, own)
    #expect(code { try reconnected(world, token) } == .tokenRefused)
    #expect(try again.status(.readWrite) == .notDetermined && suggested(world) == [2])
    #expect(try again.describeAccess(.readWrite).status == .notDetermined)
    try world.answer(.select, selecting: [2, 3])
    #expect(code { try reconnected(world, token) } == .tokenRefused)
    _ = try done { again.requestAuthorization(level: .readWrite, completion: $0) }
    #expect(try world.fetch(again) == [2, 3])
    #expect(try again.authorize(.read).withheld == .location, "the terms of the new answer hold")
  }

  @Test func `R160 the earlier selection comes back in settings, and a forgotten decision has none`() throws {
    let world = try World()
    let app = try asking(world)
    try world.answer(.select, selecting: [1, 2], end: inADay(world))
    world.environment.advance(.seconds(86_401))
    _ = world.broker.expiry.runDue()
    #expect(try world.anna.grants.list().isEmpty)
    _ = try world.set(app, .limited)
    _ = try done { app.requestAuthorization(level: .readWrite, completion: $0) }
    #expect(try world.fetch(app) == [1, 2])
    _ = try done {
      world.anna.grants.set(
        library: world.photos, app: app.app!.identifier, level: .readWrite, GrantSettings(end: inADay(world)),
        completion: $0)
    }
    world.environment.advance(.seconds(86_401))
    _ = world.broker.expiry.runDue()
    _ = try world.set(app, .notDetermined)
    app.requestAuthorization(level: .readWrite) { _ in }
    #expect(suggested(world) == [0])
  }

  @Test func `R4 R160 an administrator's end still restricts`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1])
    _ = try done {
      world.root.grants.set(
        library: world.photos, app: app.app!.identifier, level: .readWrite, GrantSettings(end: inADay(world)),
        completion: $0)
    }
    world.environment.advance(.seconds(86_401))
    #expect(try done { app.requestAuthorization(level: .readWrite, completion: $0) }.status == .restricted)
    #expect(try world.anna.grants.list().map(\.status) == [.restricted])
  }

  @Test func `R160 an answer for once ends with the app's last process`() throws {
    let world = try World()
    let app = try asking(world)
    let own = try done { app.introduce(.test(), completion: $0) }.token
    try world.answer(.select, selecting: [1], end: .once)
    #expect(world.store.log.last?.after == "limited, 1 selected, once")
    let token = try #require(try done { app.requestAuthorization(level: .readWrite, completion: $0) }.token)
    let worker = try reconnected(world, token)
    // Connections come and go.
    app.close()
    let again = try reconnected(world, own, process: app.identity.processID)
    #expect(try again.status(.readWrite) == .limited)
    again.close()
    world.broker.processEnded(app.identity.processID)
    #expect(try world.fetch(worker) == [1])
    world.broker.processEnded(worker.identity.processID)
    #expect(code { try worker.authorize(.read) } != nil)
    #expect(code { try reconnected(world, token) } == .tokenRefused)
    let next = try reconnected(world, own)
    #expect(try next.status(.readWrite) == .notDetermined)
    next.requestAuthorization(level: .readWrite) { _ in }
    #expect(suggested(world) == [1])
    try world.answer(.allow)
    next.close()
    world.broker.processEnded(next.identity.processID)
    #expect(try reconnected(world, own).status(.readWrite) == .authorized, "the next answer is for longer")
  }

  @Test(arguments: [false, true])
  func `R160 an answer for once ends with a restart of the broker, and an undo does not give it back`(isDenied: Bool)
    throws
  {
    let world = try World()
    let app = try asking(world)
    let own = try done { app.introduce(.test(), completion: $0) }.token
    try world.answer(.allow, end: .once)
    if isDenied {
      _ = try world.set(app, .denied)
      _ = try done { world.anna.decisions.undo(UInt64(world.store.log.count - 1), completion: $0) }
      #expect(try world.anna.grants.list().map(\.record.isOnce) == [true], "while the app runs")
      _ = try world.set(app, .denied)
    }
    let denied = UInt64(world.store.log.count - 1)
    try world.restart()
    let again = try reconnected(world, own)
    #expect(try again.status(.readWrite) == (isDenied ? .denied : .notDetermined))
    _ = world.broker.expiry.runDue()
    #expect(world.store.contents.grants.map(\.status) == [isDenied ? .denied : .notDetermined])
    again.close()
    world.broker.processEnded(again.identity.processID)
    if isDenied {
      #expect(reason { _ = try done { world.anna.decisions.undo(denied, completion: $0) } } == .wouldHaveEnded)
    }
  }

  @Test func `R160 settings replace once by another end, and an answer without access has none`() throws {
    let world = try World()
    let app = try asking(world)
    #expect(code { try world.answer(.deny, end: .once) } == .refused)
    #expect(code { try world.answer(.allow, end: .at(world.environment.now)) } == .refused)
    try world.answer(.allow, end: .once)
    _ = try done {
      world.anna.grants.set(
        library: world.photos, app: app.app!.identifier, level: .readWrite, GrantSettings(end: .never), completion: $0)
    }
    app.close()
    world.broker.processEnded(app.identity.processID)
    #expect(try world.anna.grants.list().map(\.status) == [.authorized])
    let changed = UInt64(world.store.log.count - 1)
    #expect(reason { _ = try done { world.anna.decisions.undo(changed, completion: $0) } } == .wouldHaveEnded)
  }

  @Test func `R160 a request after the end does not join a prompt about the selection, which ends`() throws {
    let world = try World()
    let app = try asking(world)
    try world.answer(.select, selecting: [1], end: inADay(world))
    _ = try done { app.requestAuthorization(level: .readWrite, completion: $0) }
    let page = Box<Result<(Permit, [AssetNumber]), BrokerError>>()
    app.presentLimitedLibraryPicker { page.value = $0 }
    world.environment.advance(.seconds(86_401))
    app.requestAuthorization(level: .readWrite) { _ in }
    #expect(code { try #require(page.value).get() } == .notLimited(status: "notDetermined"))
    #expect(world.anna.prompts.views(language: nil).map(\.prompt.kind) == [.authorization])
    try world.answer(.allow)
    #expect(try app.status(.readWrite) == .authorized)
  }

  @Test func `R8 R160 a person renews what a rule gave for a time, not the rule`() throws {
    let world = try World()
    let rule = RuleRecord(
      library: world.photos, name: "frames", identifier: "org.example.frame", uid: World.appUser, level: .readWrite,
      answer: .allow, lifetimeSeconds: 60, author: 9, role: .app, made: Timestamp(microseconds: 0))
    _ = try done { world.anna.batch.apply([], rules: [rule], completion: $0) }
    let app = try world.app()
    #expect(try done { app.requestAuthorization(level: .readWrite, completion: $0) }.status == .authorized)
    world.environment.advance(.seconds(61))
    // The request's own end of the grant is not stored yet.
    world.store.isDeferred = true
    var status: AuthorizationStatus?
    app.requestAuthorization(level: .readWrite) { status = (try? $0.get())?.status }
    world.store.isDeferred = false
    #expect(status == nil && world.anna.prompts.views(language: nil).count == 1)
    let other = try world.app()
    #expect(try done { other.requestAuthorization(level: .readWrite, completion: $0) }.status == .authorized)
  }
}
