import Catalogue
import Macaroons
import PhotoModel
import Testing

@testable import Broker

/// Decisions, and their undos, while photos are missing (R18, R131, R133).
@Suite struct MissingDecisionTests {
  /// Decisions about a selection while one of its photos is missing.
  enum Decision: String, CaseIterable {
    case takesAllThatFits, takesTheRestByName, choosesAnew, changesToNothing, appliesAFile,
      forgets, undoesTheChoice
    case takesAnotherByName, adds, changes, denies, allows, pauses

    /// Whether the decision deselects the missing photo too.
    var meansIt: Bool { ![.takesAnotherByName, .adds, .denies, .allows, .pauses].contains(self) }
  }

  private func carryOut(_ decision: Decision, _ shown: Shown) throws {
    let (world, app, anna) = (shown.world, shown.app, shown.world.anna)
    func edit(_ adding: [Int]?, _ removing: [Int]?) throws {
      _ = try done {
        anna.selections.edit(
          library: world.photos, app: app.app!.identifier, adding: adding.map(world.selection),
          removing: removing.map(world.selection),
          completion: $0)
      }
    }
    switch decision {
    case .takesAllThatFits:
      var selector = OwnerSelector()
      selector.everything = true
      let choice = try world.library.choice(selector, for: .takingAway(from: nil))
      try edit(
        nil,
        world.library.catalogue.numbers(
          in: choice.selection(in: world.library.catalogue), withMissing: true
        ).map { Int($0.rawValue) })
    case .takesTheRestByName: try edit(nil, [5, shown.other])
    case .takesAnotherByName: try edit(nil, [5])
    case .adds: try edit([6], nil)
    case .choosesAnew:
      _ = try world.set(app, .notDetermined)
      app.requestAuthorization(level: .readWrite) { _ in }
      try world.answer(.select, selecting: [shown.other])
    case .changes, .changesToNothing:
      app.presentLimitedLibraryPicker { _ in }
      try world.answer(.select, selecting: decision == .changes ? [shown.other, 7] : [])
    case .appliesAFile:
      let entry = GrantEntry(
        key: world.key(app), settings: GrantSettings(), adding: world.selection([shown.other]), replaces: true)
      _ = try done { anna.batch.apply([entry], completion: $0) }
    case .forgets:
      _ = try world.set(app, .notDetermined)
      _ = try world.set(app, .limited)
    case .undoesTheChoice:
      let number = try #require(world.store.log.lastIndex { $0.action == "select" })
      _ = try done { anna.decisions.undo(UInt64(number), completion: $0) }
    case .denies: _ = try world.set(app, .denied)
    case .allows: _ = try world.set(app, .authorized)
    case .pauses: _ = try done { anna.grants.pause(RevocationScope(uid: World.appUser), paused: true, completion: $0) }
    }
  }

  @Test(arguments: Decision.allCases, [false, true])
  func `R18 a decision about a missing photo's selection holds when it returns`(
    _ decision: Decision, _ restarts: Bool
  )
    throws
  {
    let shown = try shown()
    let (world, key) = (shown.world, shown.world.key(shown.app))
    try world.lose(shown.number)
    try carryOut(decision, shown)
    if restarts { try world.restart() }
    #expect(try take(world, [shown.away]) == [shown.number])
    #expect(try selected(world, key).contains(shown.number) == !decision.meansIt)
    if decision == .denies { #expect(code { try world.fetch(shown.app) } != nil) }
    try world.restart()
    #expect(
      try selected(world, key).contains(shown.number) == !decision.meansIt,
      "nor does a restart bring it back, or lose it")
  }

  @Test(arguments: [false, true])
  func `R131 an undo while a photo is missing applies to it too`(_ restarts: Bool)
    throws
  {
    let shown = try shown()
    let (world, anna, number, key) = (shown.world, shown.world.anna, shown.number, shown.world.key(shown.app))
    func undoLast() throws {
      let last = try #require(
        try done { world.anna.decisions.list(library: world.photos, DecisionQuery(limit: 1), completion: $0) }.entries
          .first
      ).number
      _ = try done { world.anna.decisions.undo(last, completion: $0) }
    }
    _ = try done {
      anna.marks.set(
        library: world.photos, world.selection([number, 3]), favourite: true, hidden: false, neverShare: true,
        completion: $0)
    }
    try world.lose(number)
    try undoLast()
    // An undo is a decision too, and a second undo selects both photos again.
    try undoLast()
    try undoLast()
    if restarts { try world.restart() }
    _ = try take(world, [shown.away])
    for photo in [number, 3] { #expect(world.row(photo)?.flags == []) }
    _ = try world.edit(restarts ? world.again(shown.app) : shown.app, remove: [number])
    try world.lose(number)
    try undoLast()
    #expect(try selected(world, key) == [shown.other])
    if restarts { try world.restart() }
    _ = try take(world, [shown.away])
    #expect(try selected(world, key) == [number, shown.other])
    try world.restart()
    #expect(try selected(world, key) == [number, shown.other] && world.row(number)?.flags == [])
  }

  /// Removes the whole selection by a filter, which includes missing photos.
  private func takeAll(_ world: World, from app: Session) throws {
    let grant = try #require(world.broker.grant(world.key(app)))
    let all = world.library.catalogue.current(grant.planned)
    _ = try done {
      world.anna.selections.edit(
        library: world.photos, app: app.app!.identifier, adding: nil, removing: all, completion: $0)
    }
  }

  private func undoLast(_ world: World) throws {
    let last = try #require(
      try done { world.anna.decisions.list(library: world.photos, DecisionQuery(limit: 1), completion: $0) }.entries
        .first?
        .number)
    _ = try done { world.anna.decisions.undo(last, completion: $0) }
  }

  @Test func `R131 undoing another photo's grant revokes no missing photo`() throws {
    let shown = try shown()
    let (world, key) = (shown.world, shown.world.key(shown.app))
    _ = try world.edit(shown.app, add: [3])
    try world.lose(shown.number)
    try undoLast(world)
    _ = try take(world, [shown.away])
    #expect(try selected(world, key) == [shown.number, shown.other])
  }

  @Test func `R131 undoing a grant applies to a missing photo too`() throws {
    let shown = try shown()
    let (world, key) = (shown.world, shown.world.key(shown.app))
    try world.lose(shown.number)
    try undoLast(world)
    _ = try take(world, [shown.away])
    #expect(try selected(world, key) == [shown.other])
  }

  @Test(arguments: [false, true])
  func `R40 an app is not told that an undo selects a missing photo, until it returns`(_ restarts: Bool) throws {
    let shown = try shown()
    let world = shown.world
    var app = shown.app
    _ = try world.edit(app, remove: [shown.number])
    let token = try world.changes(app.authorize(.read), since: nil).token
    try world.lose(shown.number)
    try undoLast(world)
    if restarts {
      try world.restart()
      app = try world.again(app)
    }
    let event = try world.changes(app.authorize(.read), since: token)
    #expect(event.removed.isEmpty && event.inserted.isEmpty)
    _ = try take(world, [shown.away])
    #expect(
      try world.changes(app.authorize(.read), since: event.token).inserted.map(\.number)
        == [AssetNumber(UInt32(shown.number))])
  }

  @Test(arguments: [false, true])
  func `R131 undoing a revocation restores a photo that was missing then`(_ restarts: Bool) throws {
    let shown = try shown()
    let (world, key) = (shown.world, shown.world.key(shown.app))
    try world.lose(shown.number)
    try takeAll(world, from: shown.app)
    #expect(try selected(world, key).isEmpty)
    if restarts { try world.restart() }
    try undoLast(world)
    _ = try take(world, [shown.away])
    #expect(try selected(world, key) == [shown.number, shown.other])
  }

  @Test func `R131 R144 revoking only missing photos can be undone, and an older state is recognized`()
    throws
  {
    let shown = try shown()
    let (world, key) = (shown.world, shown.world.key(shown.app))
    try world.lose(shown.number)
    let floor = world.store.contents.settings[SettingName.epochFloor].flatMap { UInt64($0) } ?? 0
    _ = try done {
      world.anna.selections.edit(
        library: world.photos, app: shown.app.app!.identifier, adding: nil, removing: world.selection([shown.number]),
        completion: $0)
    }
    #expect(try #require(world.store.contents.settings[SettingName.epochFloor].flatMap { UInt64($0) }) > floor)
    try undoLast(world)
    _ = try take(world, [shown.away])
    #expect(try selected(world, key) == [shown.number, shown.other])
  }

  @Test func `R133 a return that the disk refused is not in force`() throws {
    let shown = try shown()
    let (world, key) = (shown.world, shown.world.key(shown.app))
    _ = try world.edit(shown.app, remove: [shown.number])
    let last = try #require(
      try done { world.anna.decisions.list(library: world.photos, DecisionQuery(limit: 1), completion: $0) }.entries
        .first?
        .number)
    try world.lose(shown.number)
    world.store.refusals = 1
    #expect(code { try done { world.anna.decisions.undo(last, completion: $0) } } == .failed)
    _ = try take(world, [shown.away])
    #expect(try selected(world, key) == [shown.other])
  }

  @Test(arguments: [false, true])
  func `R133 a photo deselected while it returns is not selected, in either order`(_ takesFirst: Bool)
    throws
  {
    let shown = try shown()
    let (world, key) = (shown.world, shown.world.key(shown.app))
    try world.lose(shown.number)
    world.store.isDeferred = true
    let take = {
      world.anna.selections.edit(
        library: world.photos, app: shown.app.app!.identifier, adding: nil, removing: world.selection([shown.other])
      ) { _ in }
    }
    let comeBack = { world.library.scan.apply([.insert(shown.away)]) { _ in } }
    if takesFirst { take() } else { comeBack() }
    if takesFirst { comeBack() } else { take() }
    world.store.completeAll()
    #expect(world.row(shown.number) != nil)
    #expect(try selected(world, key).isEmpty)
    try world.restart()
    #expect(try selected(world, key).isEmpty)
  }

  @Test func `R133 a revocation that the disk refused holds all the same`() throws {
    let shown = try shown()
    let (world, key) = (shown.world, shown.world.key(shown.app))
    try world.lose(shown.number)
    world.store.refusals = 1
    #expect(code { try world.edit(shown.app, remove: [shown.other]) } == .failed)
    _ = try take(world, [shown.away])
    #expect(try world.fetch(shown.app).isEmpty)
    _ = try world.edit(shown.app, add: [4])
    try world.restart()
    #expect(try selected(world, key) == [4], "and the next edit keeps that")
  }
}
