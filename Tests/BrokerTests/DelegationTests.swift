import Broker
import Catalogue
import Limits
import Macaroons
import PhotoModel
import Testing

/// R126: co-owners. R130: rights that an owner gives administrators.
@Suite struct DelegationTests {
  private func delegate(_ world: World, _ delegation: Delegation, by admin: AdminSession? = nil) throws {
    _ = try done { (admin ?? world.anna).rights.delegate(world.photos, delegation, completion: $0) }
  }

  /// Delegates, and has every named user accept.
  private func join(_ world: World, _ delegation: Delegation) throws {
    try delegate(world, delegation)
    for user in delegation.coOwners ?? [] { try world.accept(world.photos, by: user) }
  }

  @Test func `R126 a co-owner is prompted and decides like the owner, and the first answer counts for both`() throws {
    let world = try World()
    try join(world, Delegation(coOwners: [World.bert]))
    let app = try world.app()
    app.requestAuthorization(level: .readWrite) { _ in }
    #expect(world.delegate.promptsChanged.last == [World.anna, World.bert])
    let prompt = try #require(world.bert.prompts.views(language: nil).first)
    #expect(world.anna.prompts.views(language: nil).count == 1)
    _ = try done {
      world.bert.prompts.answer(prompt.prompt.identifier, .select, selection: world.selection([1]), completion: $0)
    }
    #expect(world.anna.prompts.views(language: nil).isEmpty)
    #expect(try world.anna.grants.list().first?.record.decider == World.bert)
    #expect(
      code { try done { world.anna.prompts.answer(prompt.prompt.identifier, .deny, completion: $0) } }
        == .notFound(what: "prompt"))
    _ = try done {
      world.bert.selections.edit(
        library: world.photos, app: app.app!.identifier, adding: world.selection([2]), removing: nil, completion: $0)
    }
    _ = try world.set(app, .denied, by: world.bert)
    #expect(try app.status(.readWrite) == .denied, "an owner's no, not an administrator's")
    try world.restart()
    #expect(world.bert.libraries.list.count == 2)
  }

  @Test func `R126 a co-owner does not change ownership or remove the library, but can leave`() throws {
    let world = try World()
    try join(world, Delegation(coOwners: [World.bert, 1002]))
    for bad in [
      Delegation(coOwners: [World.bert]), Delegation(coOwners: [World.bert, 1002, 1003]),
      Delegation(administratorsSee: true),
    ] {
      #expect(code { try delegate(world, bad, by: world.bert) } == .notPermitted)
    }
    #expect(code { try done { world.bert.libraries.remove(world.photos, completion: $0) } } == .notPermitted)
    try delegate(world, Delegation(coOwners: [1002]), by: world.bert)
    #expect(code { try world.bert.library(world.photos) } == .notFound(what: "library"))
    #expect(world.admin(1002).libraries.list.count == 1)
    #expect(code { try delegate(world, Delegation(coOwners: []), by: world.root) } == .notPermitted)
    let many = Set((0...UInt32(BrokerLimits.coOwnersPerLibrary)).map { 5_000 + $0 })
    #expect(code { try delegate(world, Delegation(coOwners: many)) } == .refused)
    try delegate(world, Delegation(coOwners: Set(many.sorted().dropLast())))
  }

  @Test func `R126 removing a co-owner takes effect at once, and adding one after the commit`() throws {
    let world = try World()
    let app = try world.app(.allow)
    world.store.isDeferred = true
    world.anna.rights.delegate(world.photos, Delegation(coOwners: [World.bert])) { _ in }
    world.bert.offers.answer(world.photos, .all(.accepted)) { _ in }
    #expect(code { try world.bert.library(world.photos) } == .notFound(what: "library"))
    world.store.complete()
    world.bert.offers.answer(world.photos, .all(.accepted)) { _ in }
    #expect(code { try world.bert.library(world.photos) } == .notFound(what: "library"))
    world.store.complete()
    _ = try world.bert.library(world.photos)
    world.anna.rights.delegate(world.photos, Delegation(coOwners: [])) { _ in }
    #expect(code { try world.bert.library(world.photos) } == .notFound(what: "library"))
    #expect(code { try world.bert.app(app.app!.identifier) } == .notFound(what: "app"))
    world.store.complete()
    // Two concurrent edits of the library both keep their changes.
    world.anna.rights.delegate(world.photos, Delegation(coOwners: [World.bert])) { _ in }
    world.anna.rights.offer(world.photos, to: [2001]) { _ in }
    world.store.completeAll()
    let record = try #require(world.store.contents.libraries.first { $0.record.name == world.photos }?.record)
    #expect(record.coOwners == [World.bert] && record.offeredTo == [World.anna, 2001])
  }

  @Test func `R130 an administrator sees and gives only by the owner's leave and only while it lasts`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1])
    let identifier = app.app!.identifier
    func select() throws {
      _ = try done {
        world.root.selections.edit(
          library: world.photos, app: identifier, adding: world.selection([2]), removing: nil, completion: $0)
      }
    }
    #expect(code { try world.root.seenLibrary(world.photos) } == .notPermitted)
    try delegate(world, Delegation(administratorsSee: true))
    _ = try world.root.seenLibrary(world.photos)
    #expect(code { try world.root.seenLibrary(world.holidays) } == .notPermitted)
    #expect(code { try select() } == .notPermitted)
    #expect(code { try world.set(app, .authorized, by: world.root) } == .notPermitted)
    try delegate(world, Delegation(administratorsDecide: true))
    try select()
    #expect(
      try world.anna.grants.list().first.map { ($0.record.role, $0.record.source, $0.selected) } ?? (.app, .app, 0) == (
        .administrator, .administrator, 2
      ))
    _ = try world.set(app, .authorized, by: world.root)
    #expect(code { try world.set(app, .denied, by: world.root) } == .notPermitted, "R4: denied is the owner's")
    #expect(world.root.prompts.views(language: nil).isEmpty)
    try delegate(world, Delegation(administratorsSee: false, administratorsDecide: false))
    #expect(code { try world.root.seenLibrary(world.photos) } == .notPermitted)
    #expect(code { try world.set(app, .limited, by: world.root) } == nil, "narrowing is always allowed")
    #expect(code { try world.set(app, .authorized, by: world.root) } == .notPermitted)
    try world.restart()
    #expect(code { try world.root.seenLibrary(world.photos) } == .notPermitted)
  }

  @Test
  func
    `R126 who is named a co-owner decides and is asked nothing before they accept it, and no longer once they decline`()
    throws
  {
    for isWhole in [false, true] {
      let world = try World()
      let app = try world.app()
      app.requestAuthorization(level: .readWrite) { _ in }
      try delegate(world, Delegation(coOwners: [World.bert]))
      func isOut() -> Bool {
        world.bert.prompts.views(language: nil).isEmpty
          && world.bert.libraries.list.map(\.record.name) == [world.holidays]
          && code { try world.bert.library(world.photos) } == .notFound(what: "library")
          && world.library.owners == [World.anna]
      }
      #expect(isOut() && world.library.users(.coOwner, .offered) == [World.bert])
      #expect(world.bert.offers.list.map(\.answers) == [[.coOwner: .offered]])
      try world.restart()
      #expect(isOut())
      try world.accept(world.photos, by: World.bert)
      try world.restart()
      #expect(world.bert.prompts.views(language: nil).count == 1 && world.library.owners == [World.anna, World.bert])
      if isWhole {
        _ = try done { world.bert.offers.answerAll(from: World.anna, accepts: false, completion: $0) }
      } else {
        _ = try done { world.bert.offers.answer(world.photos, .all(.declined), completion: $0) }
      }
      #expect(isOut() && world.bert.offers.list.map(\.answers) == [[.coOwner: .declined]])
      // A new invitation right after the removal gives the same.
      try delegate(world, Delegation(coOwners: []))
      try delegate(world, Delegation(coOwners: [World.bert]))
      #expect(isOut() && world.bert.offers.list.map(\.answers) == [[.coOwner: .declined]])
      try world.restart()
      #expect(isOut())
    }
  }

  @Test
  func `R126 a co-owner named by an administrator needs no invitation, and one who left is invited again`()
    throws
  {
    let world = try World()
    _ = try done { world.root.administrators.set([World.anna], completion: $0) }
    try delegate(world, Delegation(coOwners: [World.bert]))
    #expect(world.library.owners == [World.anna, World.bert])
    _ = try done { world.root.administrators.set([], completion: $0) }
    try delegate(world, Delegation(coOwners: []), by: world.bert)
    #expect(world.library.owners == [World.anna])
    try delegate(world, Delegation(coOwners: [World.bert]))
    #expect(world.library.owners == [World.anna])
  }

  @Test func `R126 a removed co-owner is invited again when named again, except by an undo`()
    throws
  {
    let world = try World()
    try join(world, Delegation(coOwners: [World.bert]))
    try delegate(world, Delegation(coOwners: []))
    try delegate(world, Delegation(coOwners: [World.bert]))
    #expect(world.library.owners == [World.anna] && world.library.users(.coOwner, .offered) == [World.bert])
    try world.accept(world.photos, by: World.bert)
    try delegate(world, Delegation(coOwners: []))
    let number = try #require(world.store.log.lastIndex { $0.action == "delegate" })
    _ = try done { world.anna.decisions.undo(UInt64(number), completion: $0) }
    #expect(world.library.owners == [World.anna, World.bert])
    // The same for users who are named beside others.
    try delegate(world, Delegation(coOwners: [World.bert, 3000]))
    #expect(world.library.owners == [World.anna, World.bert])
  }

  @Test func `R131 a redundant setting is no decision`() throws {
    let world = try World()
    _ = try world.app(.allow)
    try join(world, Delegation(coOwners: [World.bert]))
    let made = OwnedAlbumEdit(title: "A", adding: world.selection([1]), removing: nil, isShared: nil, deletes: false)
    let album = try #require(try done { world.anna.albums.edit(nil, of: world.photos, made, completion: $0) })
      .identifier
    let before = world.store.log.count
    for (adding, removing) in [([World.appUser], []), ([], [World.anna]), ([7], [7])] as [(Set<UInt32>, Set<UInt32>)] {
      let receipt = try done {
        world.anna.rights.offer(world.photos, to: nil, adding: adding, removing: removing, completion: $0)
      }
      #expect(receipt == Receipt())
    }
    for delegation in [
      Delegation(coOwners: [World.bert, World.anna]), Delegation(administratorsSee: false),
      Delegation(coOwners: [World.bert]),
    ] {
      try delegate(world, delegation)
    }
    _ = try done { world.anna.rights.shareOriginals(world.photos, false, completion: $0) }
    _ = try done { world.anna.rights.allowDeletions(world.photos, true, completion: $0) }
    for edit in [
      OwnedAlbumEdit(title: "A", adding: nil, removing: nil, isShared: nil, deletes: false),
      OwnedAlbumEdit(
        title: nil, adding: world.selection([1]), removing: world.selection([2]), isShared: false, deletes: false),
    ] {
      let edited = try done { world.anna.albums.edit(album, of: world.photos, edit, completion: $0) }
      #expect(edited?.members == [AssetNumber(1)])
    }
    let resumed = try done { world.anna.grants.pause(RevocationScope(everything: true), paused: false, completion: $0) }
    #expect(resumed.grants == 0 && resumed.decisions.isEmpty)
    #expect(world.store.log.count == before)
  }

  @Test func `R133 a revocation that the disk refused is written on repetition`() throws {
    let world = try World()
    try join(world, Delegation(coOwners: [World.bert]))
    _ = try done { world.anna.rights.shareOriginals(world.photos, true, completion: $0) }
    world.store.refusals = 1
    #expect(code { try done { world.anna.rights.offer(world.photos, to: [], completion: $0) } } == .failed)
    _ = try done { world.anna.rights.offer(world.photos, to: [], completion: $0) }
    world.store.refusals = 1
    #expect(code { try delegate(world, Delegation(coOwners: [])) } == .failed)
    try delegate(world, Delegation(coOwners: []))
    world.store.refusals = 1
    #expect(code { try done { world.anna.rights.shareOriginals(world.photos, false, completion: $0) } } == .failed)
    _ = try done { world.anna.rights.shareOriginals(world.photos, false, completion: $0) }
    world.store.refusals = 1
    #expect(code { try done { world.anna.rights.allowDeletions(world.photos, false, completion: $0) } } == .failed)
    #expect(!world.library.record.appsDelete, "taken away, though not kept")
    _ = try done { world.anna.rights.allowDeletions(world.photos, false, completion: $0) }
    try world.restart()
    #expect(!world.library.isOffered(to: World.appUser) && world.library.owners == [World.anna])
    #expect(!world.library.record.sharesOriginals && !world.library.record.appsDelete)
  }

  @Test func `R134 setting an end revokes nothing, unlike other changes beside it`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    func end(_ minutes: Int64, keeping: [Int]? = nil) throws -> Receipt {
      let settings = GrantSettings(end: .at(world.environment.now.advanced(by: .seconds(60 * minutes))))
      let entry = GrantEntry(
        key: world.key(app), settings: settings, adding: keeping.map(world.selection), replaces: keeping != nil)
      return try done { world.anna.batch.apply([entry], completion: $0) }.1
    }
    #expect(try end(9).grants == 0)
    #expect(try end(8, keeping: [1, 2, 3]).grants == 0)
    #expect(try end(7, keeping: [1, 3]).grants == 1)
    world.environment.advance(.seconds(480))
    #expect(try app.status(.readWrite) == .notDetermined)
  }

  @Test func `R131 changes of co-owners are recorded too`() throws {
    let world = try World()
    try delegate(world, Delegation(coOwners: [World.bert], administratorsSee: true))
    let entry = try #require(
      try done { world.anna.decisions.list(library: world.photos, DecisionQuery(limit: 1), completion: $0) }.entries
        .first)
    #expect(entry.record.action == "delegate" && entry.record.app == nil && entry.change != nil)
    #expect(entry.record.after == "owner 1000, co-owners 1001, administrators see")
  }

  @Test
  func `R133 R134 ending an offer or a right to decide is stored like a revocation, with a receipt`()
    throws
  {
    let world = try World()
    _ = try world.app(.allow)
    try join(world, Delegation(coOwners: [World.bert]))
    func floor() -> Int { Int(world.store.contents.settings["epochFloor"] ?? "0") ?? 0 }
    var last = floor()
    func isMarked() -> Bool {
      defer { last = floor() }
      return floor() > last
    }
    try delegate(world, Delegation(administratorsSee: true))
    #expect(!isMarked())
    try delegate(world, Delegation(coOwners: []))
    #expect(isMarked())
    let kept = try done { world.anna.rights.offer(world.photos, to: [World.appUser, 2001], completion: $0) }
    #expect(kept == Receipt(decisions: kept.decisions) && kept.decisions.count == 1)
    #expect(!isMarked())
    #expect(try done { world.anna.rights.offer(world.photos, to: [2001], completion: $0) }.grants == 1)
    #expect(isMarked())
    _ = try done { world.root.administrators.set([3000], completion: $0) }
    #expect(!isMarked())
    _ = try done { world.root.administrators.set([], completion: $0) }
    #expect(isMarked())
  }

  @Test func `R132 one command pauses and resumes by app, user, library, level, or everything`() throws {
    let world = try World()
    let app = try world.app(.allow)
    for scope in [
      RevocationScope(app: app.app!.identifier), RevocationScope(uid: World.appUser),
      RevocationScope(library: world.photos),
      RevocationScope(level: .readWrite), RevocationScope(everything: true),
    ] {
      #expect(try done { world.anna.grants.pause(scope, paused: true, completion: $0) }.grants == 1)
      #expect(code { try app.authorize(.read) } == .photos(.accessUserDenied))
      #expect(code { try done { world.root.grants.pause(scope, paused: false, completion: $0) } } == .notPermitted)
      _ = try done { world.anna.grants.pause(scope, paused: false, completion: $0) }
      _ = try app.authorize(.read)
    }
    #expect(code { try done { world.anna.grants.pause(RevocationScope(), paused: true, completion: $0) } } == .refused)
    _ = try done { world.bert.grants.pause(RevocationScope(everything: true), paused: true, completion: $0) }
    _ = try app.authorize(.read)
  }
}
