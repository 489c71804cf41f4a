import Broker
import PhotoModel
import Testing

/// R131: decisions about a library as a whole, its rules and the broker's administrators can be
/// undone too.
@Suite struct WideUndoTests {
  private func last(_ world: World, by admin: AdminSession? = nil) throws -> UInt64 {
    try #require(
      try done { (admin ?? world.anna).decisions.list(library: nil, DecisionQuery(limit: 1), completion: $0) }.entries
        .first
    ).number
  }

  private func undo(_ world: World, _ number: UInt64? = nil, by admin: AdminSession? = nil) throws {
    let number = try number ?? last(world, by: admin)
    let outcome = try done { (admin ?? world.anna).decisions.undo(number, completion: $0) }
    #expect(outcome.grant == nil)
  }

  private func record(_ world: World) -> LibraryRecord { world.library.record }

  private func rule(_ world: World, _ answer: RuleAnswer) -> RuleRecord {
    RuleRecord(
      library: world.photos, name: "frames", identifier: nil, uid: World.appUser, level: .readWrite, answer: answer,
      author: 9,
      role: .app, made: Timestamp(microseconds: 0))
  }

  @Test func `R127 R131 an offer is undone, without other changes of its users`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let before = record(world).offeredTo
    _ = try done { world.anna.rights.offer(world.photos, to: [9], completion: $0) }
    let offered = try last(world)
    #expect(code { _ = try world.fetch(app) } != nil, "the app's user is left out")
    _ = try done { world.anna.rights.offer(world.photos, to: [9, 10], completion: $0) }
    try undo(world, offered)
    #expect(record(world).offeredTo == before.union([10]), "the later offer stays")
    #expect(try world.fetch(app).count == 10)
    try undo(world)
    #expect(record(world).offeredTo == [World.anna, 9, 10])
    try undo(world)
    #expect(record(world).offeredTo == before.union([10]))
    #expect(code { try undo(world, offered) } == .refused, "it was taken back already")
    try world.restart()
    #expect(record(world).offeredTo == before.union([10]))
  }

  @Test func `R126 R131 only the first owner undoes a change of co-owners`() throws {
    let world = try World()
    let all = Delegation(coOwners: [7], administratorsSee: true, administratorsDecide: true)
    _ = try done { world.anna.rights.delegate(world.photos, all, completion: $0) }
    let delegated = try last(world)
    let partner = world.broker.openAdministration(uid: 7, origin: "test")
    try world.accept(world.photos, by: 7)
    #expect(code { try undo(world, delegated, by: partner) } == .notPermitted)
    _ = try done { world.anna.rights.delegate(world.photos, Delegation(administratorsSee: false), completion: $0) }
    #expect(code { try undo(world, delegated) } == .refused, "what administrators see was decided again")
    try undo(world)
    try undo(world, delegated)
    #expect(record(world).coOwners.isEmpty && !record(world).administratorsSee && !record(world).administratorsDecide)
    #expect(code { _ = try partner.grants.list(library: world.photos) } == .notFound(what: "library"))
    try undo(world)
    #expect(record(world).coOwners == [7] && record(world).administratorsSee && record(world).administratorsDecide)
  }

  @Test func `R131 created, edited and removed rules are restored`() throws {
    let world = try World()
    _ = try done { world.anna.batch.apply([], rules: [rule(world, .deny)], completion: $0) }
    let made = try last(world)
    let first = try #require(try world.anna.rules.list().first)
    _ = try done { world.anna.batch.apply([], rules: [rule(world, .allow)], completion: $0) }
    #expect(code { try undo(world, made) } == .refused, "it was edited since")
    try undo(world)
    #expect(try world.anna.rules.list() == [first])
    _ = try done { world.anna.rules.remove("frames", of: world.photos, completion: $0) }
    try undo(world)
    #expect(try world.anna.rules.list() == [first])
    try world.restart()
    #expect(try world.anna.rules.list() == [first])
    let app = try world.app()
    #expect(try done { app.requestAuthorization(level: .readWrite, completion: $0) }.status == .denied)
  }

  @Test(arguments: ["rule", "owners", "administrators", "marks"])
  func `R131 a value restored since is not overridden by an old decision's undo`(_ kind: String) throws {
    let world = try World()
    let admin = kind == "administrators" ? world.root : world.anna
    func set(_ isFirst: Bool) throws {
      switch kind {
      case "rule" where isFirst:
        _ = try done { world.anna.batch.apply([], rules: [rule(world, .deny)], completion: $0) }
      case "rule": _ = try done { world.anna.rules.remove("frames", of: world.photos, completion: $0) }
      case "owners":
        let delegation = Delegation(coOwners: isFirst ? [7] : [])
        _ = try done { world.anna.rights.delegate(world.photos, delegation, completion: $0) }
      case "administrators": _ = try done { world.root.administrators.set(isFirst ? [7] : [], completion: $0) }
      default:
        let assets = world.selection([3])
        _ = try done {
          world.anna.marks.set(
            library: world.photos, assets, favourite: nil, hidden: isFirst, neverShare: nil, completion: $0)
        }
      }
    }
    try set(true)
    let first = try last(world, by: admin)
    try set(false)
    try set(true)
    #expect(code { try undo(world, first, by: admin) } == .refused)
    for _ in 0..<2 { try undo(world, try newestToUndo(world, admin), by: admin) }
    try undo(world, first, by: admin)
  }

  /// The newest decision that is neither an undo nor undone.
  private func newestToUndo(_ world: World, _ admin: AdminSession) throws -> UInt64 {
    let entries = try done {
      admin.decisions.list(library: admin.uid == 0 ? nil : world.photos, DecisionQuery(limit: 20), completion: $0)
    }
    .entries
    let undone = Set(entries.compactMap(\.record.undoes))
    return try #require(entries.first { $0.record.undoes == nil && !undone.contains($0.number) }).number
  }

  @Test(arguments: [true, false])
  func `R130 R131 an administrator's rule is undone by its library's owner and by administrators`(isOwner: Bool)
    throws
  {
    let world = try World()
    _ = try done { world.root.batch.apply([], rules: [rule(world, .restrict)], completion: $0) }
    let made = try world.anna.rules.list()
    try undo(world, last(world), by: isOwner ? world.anna : world.root)
    #expect(try world.anna.rules.list().isEmpty)
    try undo(world, last(world), by: isOwner ? world.anna : world.root)
    #expect(try world.anna.rules.list() == made, "it is the administrator's again")
  }

  @Test(arguments: ["owner", "co-owner", "administrator", "deciding administrator", "root"])
  func `R130 R131 a user's undoable decisions are exactly those listed as such`(_ who: String) throws {
    let world = try World()
    let (partner, steward) = (world.admin(7), world.admin(8))
    try done { world.root.administrators.set([8], completion: $0) }
    _ = try done { world.anna.rights.delegate(world.photos, Delegation(coOwners: [7]), completion: $0) }
    try world.accept(world.photos, by: 7)
    if who == "deciding administrator" {
      _ = try done { world.anna.rights.delegate(world.photos, Delegation(administratorsDecide: true), completion: $0) }
    }
    let app = try world.app(.select, selecting: [1, 2])
    _ = try world.edit(app, add: [3])
    _ = try done { world.anna.rights.offer(world.photos, to: nil, adding: [9], completion: $0) }
    _ = try done { world.anna.rights.shareOriginals(world.photos, true, completion: $0) }
    _ = try done { world.anna.rights.allowDeletions(world.photos, false, completion: $0) }
    try world.mark([5], hidden: true)
    let edit = OwnedAlbumEdit(title: "Lake", adding: world.selection([1]), removing: nil, isShared: nil, deletes: false)
    _ = try done { world.anna.albums.edit(nil, of: world.photos, edit, completion: $0) }
    _ = try done { world.anna.batch.apply([], rules: [rule(world, .deny)], completion: $0) }
    var restriction = rule(world, .restrict)
    restriction.name = "restricts"
    _ = try done { steward.batch.apply([], rules: [restriction], completion: $0) }
    _ = try done { world.anna.apps.add(.test("org.example.later"), user: World.appUser, completion: $0) }
    _ = try done {
      world.anna.tokens.mint(library: world.photos, app: app.app!.identifier, level: .readWrite, completion: $0)
    }
    _ = try world.set(app, .restricted, by: steward)
    _ = try world.set(app, .authorized)
    let session = ["owner": world.anna, "co-owner": partner, "root": world.root][who] ?? steward
    let entries = try done { session.decisions.list(library: nil, DecisionQuery(limit: 100), completion: $0) }.entries
    var told: Set<Bool> = []
    for entry in entries where entry.record.library != world.holidays {
      let may = session.decisions.mayUndo(entry)
      told.insert(may)
      do {
        _ = try done { session.decisions.undo(entry.number, completion: $0) }
        #expect(may, "\(entry.record.action) \(entry.record.role)")
      } catch let error as BrokerError {
        let isOver = [.movedOn, .hasUses, .tokenOver].contains(error.reason?.code)
        #expect(may == isOver, "\(entry.record.action) \(entry.record.role): \(error.message)")
      }
    }
    #expect(told == [true, false])
  }

  @Test func `R130 R131 naming administrators is recorded, and root undoes it`() throws {
    let world = try World()
    _ = try done { world.root.administrators.set([7, 8], completion: $0) }
    let named = try last(world, by: world.root)
    let entry = try #require(
      try done { world.root.decisions.list(library: nil, DecisionQuery(limit: 1), completion: $0) }.entries.first)
    #expect(
      entry.record.library == nil && entry.record.before == "nobody" && entry.record.after == "users 7 8"
        && entry.change != nil)
    #expect(code { try undo(world, named) } == .notFound(what: "decision"), "the owner of a library is not told of it")
    let steward = world.broker.openAdministration(uid: 7, origin: "test")
    #expect(code { try undo(world, named, by: steward) } == .notPermitted)
    _ = try done { world.root.administrators.set([8], completion: $0) }
    #expect(code { try undo(world, named, by: world.root) } == .refused)
    try undo(world, by: world.root)
    #expect(try world.root.administrators.list().named == [7, 8])
    try undo(world, named, by: world.root)
    #expect(try world.root.administrators.list().named == [])
    #expect(!steward.isAdministrator)
  }

  @Test func `R131 a granting undo of settings waits for the disk, and a revoking one does not`() throws {
    let world = try World()
    _ = try done { world.anna.rights.delegate(world.photos, Delegation(coOwners: [7]), completion: $0) }
    let let7 = try last(world)
    _ = try done { world.anna.rights.delegate(world.photos, Delegation(coOwners: []), completion: $0) }
    let left = try last(world)
    world.store.isDeferred = true
    world.anna.decisions.undo(left) { _ in }
    #expect(record(world).coOwners.isEmpty)
    world.store.completeAll()
    #expect(record(world).coOwners == [7])
    world.anna.decisions.undo(let7) { _ in }
    #expect(record(world).coOwners.isEmpty)
    world.store.completeAll()
  }
}
