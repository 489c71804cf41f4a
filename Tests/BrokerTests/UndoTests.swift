import Broker
import Catalogue
import Macaroons
import PhotoModel
import Testing

/// R131: owners can undo every decision, and an undo does not lift later restrictions.
@Suite struct UndoTests {
  private func last(_ world: World) throws -> UInt64 {
    try #require(
      try done { world.anna.decisions.list(library: world.photos, DecisionQuery(limit: 1), completion: $0) }.entries
        .first
    ).number
  }

  private func undo(_ world: World, _ number: UInt64? = nil, by admin: AdminSession? = nil) throws -> (
    GrantView, Receipt
  ) {
    let outcome = try undoAny(world, number, by: admin)
    return (try #require(outcome.grant), outcome.receipt)
  }

  private func undoAny(_ world: World, _ number: UInt64? = nil, by admin: AdminSession? = nil) throws -> UndoOutcome {
    let number = try number ?? last(world)
    return try done { (admin ?? world.anna).decisions.undo(number, completion: $0) }
  }

  private func failure(_ body: () throws -> Void) -> BrokerError? {
    do { try body() } catch { return error as? BrokerError }
    return nil
  }

  @Test func `R131 an edit of the selection is undone, and the undo too`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2, 3])
    _ = try world.edit(app, add: [4, 5], remove: [1])
    let (grant, _) = try undo(world)
    #expect(try world.fetch(app) == [1, 2, 3])
    #expect(grant.record.source == .undo && grant.record.decider == World.anna && grant.record.origin == "test")
    _ = try undo(world)
    #expect(try world.fetch(app) == [2, 3, 4, 5])
    let newest = try done { world.anna.decisions.list(library: world.photos, DecisionQuery(limit: 2), completion: $0) }
      .entries
    #expect(newest.map(\.record.action) == ["undo", "undo"] && newest[0].record.undoes == newest[1].number)
    try world.restart()
    #expect(try world.anna.grants.list().map(\.selected) == [4])
  }

  @Test func `R46 R131 an undone answer leaves nothing of its grant for the next answer`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1])
    let (answer, identifier) = (try last(world), app.app!.identifier)
    let end = world.environment.now.advanced(by: .seconds(60))
    _ = try done {
      world.anna.grants.set(
        library: world.photos, app: identifier, level: .readWrite, GrantSettings(end: .at(end), albumPolicy: "full"),
        completion: $0)
    }
    let policy = try last(world)
    #expect(try undo(world, answer).0.record.albumPolicy == "own")
    app.requestAuthorization(level: .readWrite) { _ in }
    try world.answer(.select, selecting: [2])
    let grant = try #require(try world.anna.grants.list().first).record
    #expect(grant.status == .limited && grant.albumPolicy == "own" && grant.expires == nil)
    #expect(failure { _ = try undo(world, policy) }?.code == .refused)
  }

  @Test(arguments: [AuthorizationStatus.notDetermined, .denied], ["albums", "end", "selection"])
  func `R131 other settings of a grant without access cannot be undone`(_ status: AuthorizationStatus, _ kind: String)
    throws
  {
    let world = try World()
    let app = try world.app(.select, selecting: [1])
    let identifier = app.app!.identifier
    func set(_ settings: GrantSettings) throws {
      _ = try done {
        world.anna.grants.set(library: world.photos, app: identifier, level: .readWrite, settings, completion: $0)
      }
    }
    let end = world.environment.now.advanced(by: .seconds(60))
    switch kind {
    case "albums":
      try set(GrantSettings(albumPolicy: "full"))
      try set(GrantSettings(albumPolicy: "own"))
    case "end":
      try set(GrantSettings(end: .at(end)))
      try set(GrantSettings(end: .never))
    default: _ = try world.edit(app, remove: [1])
    }
    let number = try last(world)
    try set(GrantSettings(status: status))
    let decisions = try done {
      world.anna.decisions.list(library: world.photos, DecisionQuery(limit: 100), completion: $0)
    }
    .entries.count
    // A denied grant keeps its selection, which may be edited for later.
    guard status != .denied || kind != "selection" else { return _ = try undo(world, number) }
    #expect(failure { _ = try undo(world, number) }?.message.contains("nothing of it can be set") ?? false)
    #expect(
      try done { world.anna.decisions.list(library: world.photos, DecisionQuery(limit: 100), completion: $0) }.entries
        .count
        == decisions)
    try set(GrantSettings(status: .limited))
    let grant = try #require(try world.anna.grants.list().first).record
    #expect(grant.albumPolicy == "own" && grant.expires == nil)
  }

  @Test func `R131 undoing the first decision forgets later selections, also on disk`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1])
    let (first, identifier) = (try last(world), app.app!.identifier)
    _ = try world.edit(app, add: [2, 3])
    _ = try undo(world, first)
    for _ in 0..<2 {
      try world.restart()
      let key = GrantKey(library: world.photos, app: identifier, level: .readWrite)
      let (grant, _) = try done {
        world.anna.grants.set(
          library: key.library, app: key.app, level: key.level, GrantSettings(status: .limited), completion: $0)
      }
      #expect(grant.selected == 0)
    }
  }

  @Test func `R131 expired access is not called undoable`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let end = world.environment.now.advanced(by: .seconds(60))
    _ = try done {
      world.anna.grants.set(
        library: world.photos, app: app.app!.identifier, level: .readWrite, GrantSettings(end: .at(end)), completion: $0
      )
    }
    world.environment.advance(.seconds(61))
    _ = world.broker.expiry.runDue()
    let entries = try done { world.anna.decisions.list(library: world.photos, DecisionQuery(limit: 2), completion: $0) }
      .entries
    #expect(
      entries.map(\.record.source) == [.expiry, .settings]
        && entries.map(world.anna.decisions.mayUndo) == [false, true])
  }

  @Test(arguments: ["revoke", "deny", "pause", "limit", "forget", "expire", "albums"])
  func `R131 undoing each kind of decision restores the previous state`(kind: String) throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    let (identifier, anna) = (app.app!.identifier, world.anna)
    let before = try #require(try anna.grants.list().first)
    func set(_ settings: GrantSettings) throws {
      _ = try done {
        anna.grants.set(library: world.photos, app: identifier, level: .readWrite, settings, completion: $0)
      }
    }
    switch kind {
    case "revoke": _ = try done { anna.grants.revoke(RevocationScope(everything: true), completion: $0) }
    case "deny": try set(GrantSettings(status: .denied))
    case "pause": _ = try done { anna.grants.pause(RevocationScope(uid: World.appUser), paused: true, completion: $0) }
    case "limit": try set(GrantSettings(status: .authorized))
    case "forget": try set(GrantSettings(status: .notDetermined))
    case "expire": try set(GrantSettings(end: .at(world.environment.now.advanced(by: .seconds(60)))))
    default: try set(GrantSettings(albumPolicy: "none"))
    }
    _ = try undo(world)
    let after = try #require(try anna.grants.list().first)
    #expect(after.status == .limited && after.selected == 2)
    #expect(after.record.isPaused == before.record.isPaused && after.record.expires == before.record.expires)
    #expect(after.record.albumPolicy == before.record.albumPolicy)
    _ = try done { app.requestAuthorization(level: .readWrite, completion: $0) }
    #expect(try world.fetch(app) == [1, 2])
  }

  @Test func `R134 undoing a revocation has an empty receipt, and undoing a grant a full one`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let entry = GrantEntry(
      key: world.key(app), settings: GrantSettings(status: .limited), adding: world.selection([1, 2]), replaces: true)
    #expect(try done { world.anna.batch.apply([entry], completion: $0) }.1.grants == 1)
    let (wider, receipt) = try undo(world)
    #expect(wider.status == .authorized && wider.visible == 10 && receipt.grants == 0)
    let (narrower, taken) = try undo(world)
    #expect(narrower.status == .limited && narrower.selected == 2 && taken.grants == 1)
  }

  @Test func `R131 undoing the first answer resets the status, and the app may ask again`() throws {
    let world = try World()
    let app = try world.app(.deny)
    _ = try undo(world)
    #expect(try app.status(.readWrite) == .notDetermined)
    app.requestAuthorization(level: .readWrite) { _ in }
    #expect(world.anna.prompts.views(language: nil).count == 1)
  }

  @Test func `R4 restored access has another token`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let token = try #require(try done { app.requestAuthorization(level: .readWrite, completion: $0) }.token)
    _ = try world.set(app, .denied)
    _ = try undo(world)
    #expect(code { try world.connect().attach(token) } == .tokenRefused)
    #expect(
      code { try app.authorize(.read) } == .tokenRefused, "what was attached before the revocation is no use either")
    let fresh = try #require(try done { app.requestAuthorization(level: .readWrite, completion: $0) }.token)
    #expect(fresh != token)
    _ = try app.authorize(.read)
  }

  @Test func `R4 revoking a token cannot be undone`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let accessor = try app.authorize(.read).accessor
    _ = try done { world.anna.tokens.revoke(accessor, completion: $0) }
    let error = failure { _ = try undo(world) }
    #expect(error?.code == .refused && error?.message.contains("never comes back") == true)
  }

  @Test func `R131 an undo is refused by name if the state has moved on`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2, 3])
    let answered = try last(world)
    _ = try world.edit(app, add: [4])
    let added = try last(world)
    _ = try world.edit(app, remove: [4])
    let moved = failure { _ = try undo(world, added) }
    #expect(moved?.code == .refused && moved?.message.contains("its selection was edited") == true)
    _ = try world.set(app, .authorized)
    let status = failure { _ = try undo(world, answered) }
    #expect(status?.code == .refused && status?.message.contains("the access is “full access”") == true)
    #expect(try world.fetch(app).count == 10)
    // Decisions of others elsewhere do not prevent it.
    _ = try world.set(app, .limited)
    _ = try done { world.anna.grants.pause(RevocationScope(everything: true), paused: true, completion: $0) }
    _ = try undo(world, added + 1)
    #expect(try world.anna.grants.list().first?.selected == 4)
    #expect(try world.anna.grants.list().first?.record.isPaused == true)
  }

  @Test func `R131 an old decision's undo does not override a later equal decision`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    _ = try done { world.anna.rights.delegate(world.photos, Delegation(coOwners: [7]), completion: $0) }
    try world.accept(world.photos, by: 7)
    let other = world.admin(7)
    _ = try world.set(app, .denied)
    let revoked = try last(world)
    // Another owner forgets the decision and denies the app's new request: denied as before, by
    // somebody else.
    _ = try done {
      other.grants.set(
        library: world.photos, app: app.app!.identifier, level: .readWrite, GrantSettings(status: .notDetermined),
        completion: $0)
    }
    app.requestAuthorization(level: .readWrite) { _ in }
    let prompt = try #require(other.prompts.views(language: nil).first)
    let (_, decisions) = try done { other.prompts.answer(prompt.prompt.identifier, .deny, completion: $0) }
    let answered = try last(world)
    #expect(decisions == [answered], "an answer names what takes it back")
    let refusal = failure { _ = try undo(world, revoked) }
    #expect(refusal?.code == .refused && refusal?.message.contains("decision \(answered) set the same") == true)
    #expect(refusal?.reason?.parts.map(\.code) == [.decidedAgain])
    #expect(try app.status(.readWrite) == .denied)
    // Each can be undone, the newest first.
    _ = try undo(world, answered)
    _ = try undo(world, answered - 1)
    _ = try undo(world, revoked)
    #expect(try app.status(.readWrite) == .limited)
  }

  @Test(arguments: ["pause", "end", "albums", "selection"])
  func `R131 a value changed and changed back since is not overridden either`(_ kind: String) throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    let end = world.environment.now.advanced(by: .seconds(60))
    func set(_ isFirst: Bool) throws {
      let identifier = app.app!.identifier
      func set(_ settings: GrantSettings) throws {
        _ = try done {
          world.anna.grants.set(library: world.photos, app: identifier, level: .readWrite, settings, completion: $0)
        }
      }
      switch kind {
      case "pause":
        _ = try done { world.anna.grants.pause(RevocationScope(app: identifier), paused: isFirst, completion: $0) }
      case "end": try set(GrantSettings(end: isFirst ? .at(end) : .never))
      case "albums": try set(GrantSettings(albumPolicy: isFirst ? "none" : "own"))
      default: _ = try world.edit(app, add: isFirst ? [] : [1], remove: isFirst ? [1] : [])
      }
    }
    try set(true)
    let first = try last(world)
    try set(false)
    try set(true)
    let again = try last(world)
    #expect(failure { _ = try undo(world, first) }?.reason?.parts.map(\.code) == [.decidedAgain])
    _ = try undo(world, again)
    let undone = try last(world)
    #expect(failure { _ = try undo(world, first) }?.code == .refused, "what stood between is the present state")
    // After the undo is undone, the decision stands again.
    _ = try undo(world, undone)
    #expect(failure { _ = try undo(world, first) }?.reason?.parts.map(\.code) == [.decidedAgain])
    _ = try undo(world, again)
    _ = try undo(world, again - 1)
    _ = try undo(world, first)
    let view = try #require(try world.anna.grants.list().first)
    #expect(
      view.record.isPaused == false && view.record.expires == nil && view.record.albumPolicy == "own"
        && view.selected == 2)
  }

  @Test func `R131 R132 undoing a resumption pauses nothing without access`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1])
    for paused in [true, false] {
      _ = try done { world.anna.grants.pause(RevocationScope(everything: true), paused: paused, completion: $0) }
    }
    let resumed = try last(world)
    _ = try world.set(app, .denied)
    #expect(failure { _ = try undo(world, resumed) }?.reason?.code == .noAccess)
    #expect(try world.anna.grants.list().first?.record.isPaused == false)
  }

  @Test func `R131 an end that has passed is not restored`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let end = world.environment.now.advanced(by: .seconds(60))
    _ = try done {
      world.anna.grants.set(
        library: world.photos, app: app.app!.identifier, level: .readWrite, GrantSettings(end: .at(end)), completion: $0
      )
    }
    _ = try world.set(app, .denied)
    let denied = try last(world)
    world.environment.advance(.seconds(61))
    #expect(failure { _ = try undo(world, denied) }?.message.contains("ended by itself") == true)
    #expect(try app.status(.readWrite) == .denied)
  }

  @Test func `R131 a granting undo waits for the disk, and a revoking one does not`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    _ = try world.edit(app, remove: [2])
    let removed = try last(world)
    _ = try world.edit(app, add: [3])
    let added = try last(world)
    world.store.isDeferred = true
    world.anna.decisions.undo(removed) { _ in }
    #expect(try world.fetch(app) == [1, 3])
    world.store.complete()
    #expect(try world.fetch(app) == [1, 2, 3])
    world.anna.decisions.undo(added) { _ in }
    #expect(try world.fetch(app) == [1, 2])
    world.store.refusals = 1
    world.store.complete()
    #expect(try world.fetch(app) == [1, 2])
  }

  @Test func `R130 R131 an undo requires the right to make the decision`() throws {
    let world = try World()
    let app = try world.app(.allow)
    _ = try world.set(app, .denied)
    let number = try last(world)
    #expect(code { try undo(world, number, by: world.bert) } == .notFound(what: "decision"))
    #expect(code { try undo(world, 4_000, by: world.bert) } == .notFound(what: "decision"))
    #expect(code { try undo(world, number, by: world.root) } == .notPermitted)
    _ = try world.set(app, .restricted, by: world.root)
    _ = try undo(world)
    #expect(try app.status(.readWrite) == .denied)
    // Only an administrator can restore a restriction that the owner lifted.
    _ = try world.set(app, .restricted, by: world.root)
    _ = try world.set(app, .authorized)
    #expect(failure { _ = try undo(world) }?.message.contains("Only an administrator") == true)
    _ = try done { world.anna.apps.remove(app.app!.identifier, completion: $0) }
    #expect(failure { _ = try undo(world, number) }?.message.contains("was removed") == true)
  }

  @Test func `R131 an undone selection gives nothing unshareable`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2, 3])
    _ = try world.edit(app, remove: [2, 3])
    try world.mark([2], neverShare: true)
    try world.remove(3)
    _ = try undo(world)
    #expect(try world.fetch(app) == [1])
    // It is in the selection nevertheless, as assets marked later are.
    try world.mark([2], neverShare: false)
    #expect(try world.fetch(app) == [1, 2])
    try world.restart()
    #expect(try world.anna.grants.list().map(\.selected) == [2])
  }
}
