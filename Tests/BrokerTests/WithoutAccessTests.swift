import Broker
import Limits
import PhotoModel
import Testing

/// R131: owners still know an app without access after an undo or a forgotten decision.
@Suite struct WithoutAccessTests {
  private func known(_ admin: AdminSession) -> [AppIdentifier] { admin.apps.list.map(\.identifier) }

  private func takeBack(_ world: World, _ app: Session, undoing: Bool) throws {
    guard undoing else { return _ = try world.set(app, .notDetermined) }
    let last = try done { world.anna.decisions.list(library: world.photos, DecisionQuery(limit: 1), completion: $0) }
      .entries
      .first
    let number = try #require(last).number
    _ = try done { world.anna.decisions.undo(number, completion: $0) }
  }

  @Test(arguments: [true, false])
  func `R131 an app with undone or forgotten decisions stays known until removed`(
    undoing: Bool
  ) throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    let identifier = app.app!.identifier
    #expect(world.anna.apps.forgotten(identifier) == [])
    try takeBack(world, app, undoing: undoing)
    #expect(code { try world.fetch(app) } != nil, "the app has nothing of it")
    for _ in 0..<2 {
      #expect(known(world.anna) == [identifier] && world.anna.apps.forgotten(identifier) == [world.photos])
      #expect(try world.anna.grants.list(app: identifier).isEmpty)
      #expect(known(world.bert) == [] && known(world.root) == [identifier])
      try world.restart()
    }
    _ = try done { world.anna.apps.remove(identifier, completion: $0) }
    for _ in 0..<2 {
      #expect(known(world.anna) == [] && known(world.root) == [])
      try world.restart()
    }
  }

  @Test func `R131 a forgotten decision is asked about again as for an unknown app`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    try takeBack(world, app, undoing: false)
    app.requestAuthorization(level: .readWrite) { _ in }
    #expect(world.anna.apps.forgotten(app.app!.identifier) == [world.photos])
    try world.answer(.select, selecting: [3])
    #expect(try world.fetch(app) == [3])
    #expect(world.anna.apps.forgotten(app.app!.identifier) == [])
  }

  @Test func `R131 an app decided on by another owner is unknown to its former owner after removal`()
    throws
  {
    let world = try World()
    let app = try world.app(.select, selecting: [1])
    _ = try done { world.bert.rights.offer(world.holidays, to: [World.appUser], completion: $0) }
    try world.accept(world.holidays, by: World.appUser)
    let identifier = app.app!.identifier
    func decide(_ status: AuthorizationStatus) throws {
      _ = try done {
        world.bert.grants.set(
          library: world.holidays, app: identifier, level: .readWrite, GrantSettings(status: status), completion: $0)
      }
    }
    try decide(.limited)
    try takeBack(world, app, undoing: false)
    _ = try done { world.anna.apps.remove(identifier, completion: $0) }
    for _ in 0..<2 {
      #expect(known(world.anna) == [] && known(world.bert) == [identifier])
      try world.restart()
    }
    // The same if the removed grant still had a decision.
    _ = try done {
      world.anna.grants.set(
        library: world.photos, app: identifier, level: .readWrite, GrantSettings(status: .denied), completion: $0)
    }
    #expect(known(world.anna) == [identifier])
    _ = try done { world.anna.apps.remove(identifier, completion: $0) }
    for _ in 0..<2 {
      #expect(known(world.anna) == [] && world.anna.apps.forgotten(identifier) == [])
      try world.restart()
    }
    try decide(.notDetermined)
    #expect(world.bert.apps.forgotten(identifier) == [world.holidays] && world.anna.apps.forgotten(identifier) == [])
  }

  @Test func `R138 forgotten apps block no new ones and stay known by their names`()
    throws
  {
    let world = try World()
    var forgotten: [AppIdentifier] = []
    for _ in 0..<BrokerLimits.appsPerUser {
      let app = try world.app()
      forgotten.append(app.app!.identifier)
      for status in [AuthorizationStatus.denied, .notDetermined] { _ = try world.set(app, status) }
      app.close()
    }
    #expect(known(world.anna).count == BrokerLimits.appsPerUser)
    for round in 1...2 {
      try world.app().close()
      #expect(
        Set(known(world.anna)) == Set(forgotten.dropFirst(1)), "those that nobody knows make room at first, \(round)")
    }
    #expect(world.broker.formerApp(forgotten[0])?.isKnownToOthers == true)
    try world.restart()
    #expect(world.broker.formerApp(forgotten[0])?.isKnownToOthers == true && world.broker.app(forgotten[1]) != nil)
  }

  @Test func `R138 an app that others only denied can be removed by its user once that expires`() throws {
    let world = try World()
    let app = try world.app()
    let identifier = app.app!.identifier
    _ = try world.set(app, .denied)
    func remove(_ admin: AdminSession) -> BrokerError.Code? {
      code { try done { admin.apps.remove(identifier, completion: $0) } }
    }
    #expect(remove(world.bert) != nil)
    let user = world.admin(World.appUser)
    #expect(remove(user) == .refused, "so often no is said for a while")
    world.environment.advance(BrokerLimits.coolDown)
    #expect(remove(user) == nil && world.broker.app(identifier) == nil)
    #expect(
      try done { world.anna.decisions.list(library: world.photos, DecisionQuery(limit: 1), completion: $0) }.entries[0]
        .record.action == "remove"
    )
    #expect(world.broker.formerApp(identifier)?.isKnownToOthers == true)
  }

  @Test(arguments: ["has access", "had access", "vouched for"])
  func `R132 R139 an app with others' access or recent decisions stays`(kind: String) throws {
    let world = try World()
    let session = kind == "vouched for" ? world.connect(system: "unit:frame.service") : world.connect()
    _ = try done { session.introduce(.test(), completion: $0) }
    let identifier = session.app!.identifier
    _ = try world.set(session, kind == "vouched for" ? .denied : .authorized)
    if kind == "had access" {
      _ = try done { session.requestAuthorization(level: .readWrite, completion: $0) }
      _ = try world.set(session, .denied)
    }
    world.environment.advance(BrokerLimits.coolDown * 2)
    let user = world.admin(World.appUser)
    func remove(_ admin: AdminSession) -> BrokerError.Code? {
      code { try done { admin.apps.remove(identifier, completion: $0) } }
    }
    #expect(remove(user) == .refused)
    // Declining the library does not help either, because it may be accepted again.
    _ = try done { user.offers.answer(world.photos, .all(.declined), completion: $0) }
    #expect(remove(user) == .refused && world.broker.app(identifier) != nil)
    #expect(remove(world.anna) == nil && world.broker.app(identifier) == nil)
  }

  @Test func `R131 forgetting an app without decisions reveals nothing new`() throws {
    let world = try World()
    let app = try world.app()
    _ = try world.set(app, .notDetermined)
    #expect(known(world.anna) == [])
    try world.restart()
    #expect(known(world.anna) == [])
  }
}
