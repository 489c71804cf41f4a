import Broker
import Catalogue
import PhotoModel
import Testing

/// R131: an owner can undo albums, added libraries, registered apps and issued tokens, unless
/// something depends on them.
@Suite struct AddingUndoTests {
  private let world: World

  init() throws { world = try World() }

  private func last(by admin: AdminSession? = nil) throws -> UInt64 {
    try #require(
      try done { (admin ?? world.anna).decisions.list(library: nil, DecisionQuery(limit: 1), completion: $0) }.entries
        .first
    ).number
  }

  @discardableResult
  private func undo(_ number: UInt64? = nil, by admin: AdminSession? = nil) throws -> UndoOutcome {
    let number = try number ?? last(by: admin)
    return try done { (admin ?? world.anna).decisions.undo(number, completion: $0) }
  }

  private func refusal(_ number: UInt64? = nil, by admin: AdminSession? = nil) throws -> String {
    do { try undo(number, by: admin) } catch let error as BrokerError { return error.message }
    Issue.record("it was taken back")
    return ""
  }

  private func edit(
    _ album: AlbumIdentifier?, title: String? = nil, add: [Int]? = nil, remove: [Int]? = nil, shared: Bool? = nil,
    deletes: Bool = false
  ) throws -> AlbumRecord? {
    let edit = OwnedAlbumEdit(
      title: title, adding: add.map(world.selection), removing: remove.map(world.selection), isShared: shared,
      deletes: deletes)
    return try done { world.anna.albums.edit(album, of: world.photos, edit, completion: $0) }
  }

  // MARK: Albums

  @Test func `R131 album edits are undone in any order and restore each state`() throws {
    let made = try #require(try edit(nil, title: "Trip", add: [1, 2, 3, 4]))
    let album = made.identifier
    var states = [made]
    for round in 0..<4 {
      let next =
        switch round {
        case 0: try edit(album, title: "Journey")
        case 1: try edit(album, remove: [2, 4])
        case 2: try edit(album, add: [7], shared: true)
        default: try edit(album, deletes: true)
        }
      if let next { states.append(next) }
    }
    #expect(world.library.albums[album] == nil)
    let deleted = try last()
    #expect(try undo(deleted).albums == [album], "policies have to say what they think of it")
    #expect(world.library.albums[album] == states[3], "by its identifier, with its members in their order")
    #expect(try refusal(deleted).contains("the album is there again"))
    for (back, state) in zip([1, 2, 3] as [UInt64], [states[2], states[1], states[0]]) {
      try undo(deleted - back)
      #expect(world.library.albums[album] == state)
    }
    try undo(deleted - 4)
    #expect(world.library.albums[album] == nil, "it was made, and is not")
    try world.restart()
    #expect(world.library.albums[album] == nil)
    try undo()
    #expect(world.library.albums[album] == states[0], "an undo is undone")
  }

  @Test func `R131 others' later album edits stay, and a conflict is reported`() throws {
    let album = try #require(try edit(nil, title: "Trip", add: [1, 2, 3])).identifier
    let made = try last()
    _ = try edit(album, add: [5])
    let added = try last()
    _ = try edit(album, title: "Journey")
    let named = try last()
    #expect(try refusal(made).contains("it has another title, its members were changed"))
    _ = try edit(album, remove: [1])
    let removed = try last()
    try undo(added)
    #expect(world.library.albums[album]?.title == "Journey" && world.library.albums[album]?.members.count == 2)
    #expect(try refusal(added).contains("its members were changed"))
    try world.remove(1)
    try undo(removed)
    #expect(world.library.albums[album]?.members.count == 2, "a photo that is gone does not come back")
    _ = try edit(album, deletes: true)
    #expect(try refusal(named).contains("the album was deleted"))
    #expect(code { try undo(named, by: world.bert) } == .notFound(what: "decision"))
    #expect(code { try undo(named, by: world.root) } == .notPermitted, "an administrator edits no albums")
  }

  @Test func `R131 an album removed from apps by an undo is recorded as a revocation`() throws {
    let album = try #require(try edit(nil, title: "Trip", add: [1])).identifier
    _ = try edit(album, shared: true)
    let floor = world.store.contents.settings[SettingName.epochFloor]
    try undo()
    #expect(world.store.contents.settings[SettingName.epochFloor] != floor)
    let entry = try #require(
      try done { world.anna.decisions.list(library: nil, DecisionQuery(limit: 1), completion: $0) }.entries.first)
    #expect(
      entry.record.action == "undo" && entry.record.source == .undo && entry.record.undoes != nil && entry.change != nil
    )
    #expect(!entry.record.before.contains("Trip"), "administrators read it")
  }

  // MARK: Libraries

  @Test func `R131 adding a library is undone unless something depends on it`() throws {
    let name = try #require(LibraryName("new"))
    let library = try done { world.anna.libraries.add(name, backend: "directory", options: [:], completion: $0) }
    let added = try last()
    _ = try done { library.scan.apply((0..<3).map { .insert(world.photo("\($0).jpg")) }, completion: $0) }
    #expect(code { try undo(added, by: world.bert) } == .notFound(what: "decision"))
    let steward = world.admin(World.administrator)
    let app = try world.app()
    let identifier = try #require(app.app).identifier
    _ = try done { world.anna.rights.offer(name, to: [World.appUser], completion: $0) }
    _ = try done {
      world.anna.grants.set(
        library: name, app: identifier, level: .readWrite, GrantSettings(status: .authorized), completion: $0)
    }
    let said = try refusal(added)
    #expect(said.contains("access to it was decided") && said.contains("remove the library"))
    _ = try done {
      world.anna.grants.set(
        library: name, app: identifier, level: .readWrite, GrantSettings(status: .notDetermined), completion: $0)
    }
    let first = library.catalogue.selection(of: [AssetNumber(0)])
    _ = try done { library.marks.set(first, favourite: true, hidden: nil, neverShare: nil, completion: $0) }
    #expect(try refusal(added).contains("photos in it were marked"))
    _ = try done { library.marks.set(first, favourite: false, hidden: nil, neverShare: nil, completion: $0) }
    let outcome = try undo(added, by: steward)
    #expect(outcome.removedLibrary == name && world.broker.libraries[name] == nil && !outcome.receipt.decisions.isEmpty)
    #expect(!world.store.contents.libraries.contains { $0.record.name == name })
    #expect(code { try undo(added) } != nil)
  }

  // MARK: Apps

  @Test func `R131 an app's registration is undone by its registrar unless the app was used`() throws {
    func register() throws -> (AppIdentifier, UInt64) {
      let made = try done { world.anna.apps.add(.test("org.example.early"), user: World.appUser, completion: $0) }
      return (made.app.identifier, try last())
    }
    let (unused, first) = try register()
    #expect(code { try undo(first, by: world.bert) } != nil)
    try undo(first)
    #expect(world.broker.app(unused) == nil && !world.store.contents.apps.contains { $0.identifier == unused })
    #expect(try refusal(first).contains("removed already"))
    let (used, second) = try register()
    _ = try done {
      world.anna.grants.set(
        library: world.photos, app: used, level: .readWrite, GrantSettings(status: .authorized), completion: $0)
    }
    #expect(try refusal(second).contains("its access was decided"))
    #expect(world.broker.app(used) != nil)
  }

  // MARK: Tokens

  @Test func `R131 undoing a minted token revokes it, and the app gets another one`() throws {
    let app = try world.app(.select, selecting: [1, 2])
    let identifier = try #require(app.app).identifier
    let token = try done {
      world.anna.tokens.mint(library: world.photos, app: identifier, level: .readWrite, completion: $0)
    }
    let minted = try last()
    let other = world.connect()
    _ = try other.attach(token.text)
    #expect(try world.fetch(other) == [1, 2])
    #expect(try undo(minted).grant?.record.status == .limited, "the grant stays")
    #expect(code { _ = try world.fetch(other) } != nil)
    #expect(code { _ = try world.connect().attach(token.text) } != nil)
    #expect(try refusal(minted).contains("refused already"))
    let again = try done {
      world.anna.tokens.mint(library: world.photos, app: identifier, level: .readWrite, completion: $0)
    }
    _ = try other.attach(again.text)
    #expect(try world.fetch(other) == [1, 2])
  }

  @Test func `R131 a refused undo says why`() throws {
    let app = try world.app(.select, selecting: [1])
    let token = try #require(world.broker.grant(world.key(app))).record.accessor
    _ = try done { world.anna.tokens.revoke(token, completion: $0) }
    #expect(try refusal().contains("never comes back"))
    let identifier = try #require(app.app).identifier
    _ = try done { world.anna.apps.remove(identifier, completion: $0) }
    #expect(try refusal().contains("erased"))
  }
}
