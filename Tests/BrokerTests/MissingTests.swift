import Catalogue
import Macaroons
import PhotoModel
import Testing

@testable import Broker

/// Photos that go missing and return (R95).
@Suite struct MissingTests {
  private func members(_ world: World, _ album: AlbumIdentifier) throws -> Set<Int> {
    let record = try #require(world.library.albums[album])
    return Set(world.library.catalogue.numbers(in: world.library.albums.members(of: record)).map { Int($0.rawValue) })
  }

  private func shownMembers(_ world: World, _ app: Session, _ album: AlbumIdentifier) throws -> Set<Int> {
    let grant = try app.authorize(.read).grant
    grant.albums = AlbumAccess(visible: .only([album]), editable: .only([]), mayCreate: false)
    return Set(world.library.albums.visibleAlbums(of: grant)[album]?.members.map { Int($0.rawValue) } ?? [])
  }

  @Test(arguments: [false, true])
  func `R95 a returning asset keeps its identifier, edits, selections and albums`(
    _ restarts: Bool
  ) throws {
    let shown = try shown(edited: [.caption], caption: "said")
    let (world, number, other, key) = (shown.world, shown.number, shown.other, shown.world.key(shown.app))
    try world.mark([number], favourite: true)
    var album: AlbumIdentifier?
    for member in [other, number, 3] {
      let edit = OwnedAlbumEdit(
        title: "A", adding: world.selection([member]), removing: nil, isShared: nil, deletes: false)
      album = try done { world.library.albumEditor.edit(album, edit, completion: $0) }?.identifier
    }
    let name = try #require(album)
    var app = shown.app
    #expect(try shownMembers(world, app, name) == [number, other])
    let identifier = try world.sealed(app.authorize(.read), number)
    let before = try world.changes(app.authorize(.read), since: nil).token
    try world.lose(number)
    #expect(try world.fetch(app) == [other] && selected(world, key) == [other])
    let gone = try world.changes(app.authorize(.read), since: before)
    #expect(gone.removed == [identifier] && gone.inserted.isEmpty)
    #expect(try members(world, name) == [other, 3])
    #expect(try shownMembers(world, app, name) == [other])
    #expect(world.library.albums.countPresent(try #require(world.library.albums[name])) == 2)
    if restarts {
      try world.restart()
      app = try world.again(app)
      #expect(try world.fetch(app) == [other] && selected(world, key) == [other])
    }
    var back = world.photo("a.jpg", hint: "i1")
    back.caption = "the file's"
    #expect(try take(world, [back]) == [number])
    #expect(try world.fetch(app) == [number, other].sorted() && selected(world, key) == [number, other])
    #expect(try world.sealed(app.authorize(.read), number) == identifier)
    #expect(world.row(number)?.flags == .favourite && world.caption(of: AssetNumber(UInt32(number))) == "said")
    #expect(world.library.albums[name]?.members == [other, number, 3].map { AssetNumber(UInt32($0)) })
    #expect(try members(world, name) == [number, other, 3])
    #expect(try shownMembers(world, app, name) == [number, other])
    #expect(world.store.assets[world.photos]?[AssetNumber(UInt32(number))]?.ofFile.caption == "the file's")
    if !restarts {
      let event = try world.changes(app.authorize(.read), since: gone.token)
      #expect(event.inserted.map(\.number) == [AssetNumber(UInt32(number))] && event.removed.isEmpty)
    }
    try world.restart()
    #expect(
      try selected(world, key) == [number, other] && world.fetch(world.again(app)) == [number, other].sorted(),
      "and that is kept")
  }

  @Test func `R95 a returning asset keeps its date of change`() throws {
    let shown = try shown()
    shown.world.environment.advance(.seconds(60))
    try shown.world.mark([shown.number], favourite: true)
    let changed = shown.world.environment.now
    shown.world.environment.advance(.seconds(60))
    try shown.world.lose(shown.number)
    #expect(try take(shown.world, [shown.away]) == [shown.number])
    #expect(shown.world.row(shown.number)?.modificationDate == changed)
  }

  @Test func `R40 a missing asset is absent for apps and its owner, by identifier too`() throws {
    let shown = try shown()
    let (world, app) = (shown.world, shown.app)
    let target = try world.target(app.authorize(.edit), shown.number)
    let identifier = try #require(world.row(shown.number)?.identifier)
    let count = world.library.catalogue.count
    try world.lose(shown.number)
    #expect(world.library.catalogue.count == count - 1 && world.library.catalogue.position(of: identifier) == nil)
    for dryRun in [true, false] {
      #expect(
        code { try world.perform(app.authorize(.edit), [.setFavorite([target], true)], dryRun: dryRun) }
          == .photos(.identifierNotFound))
    }
    var selector = OwnerSelector()
    selector.identifiers = [identifier]
    #expect(code { try world.library.choice(selector) } == .notFound(what: "asset"))
  }

  @Test(arguments: [false, true])
  func `R95 R125 a token for a missing photo works again without attaching anew`(_ attachesFirst: Bool)
    throws
  {
    let shown = try shown()
    let (world, number) = (shown.world, shown.number)
    let permit = try shown.app.authorize(.read)
    let named = try world.sealed(permit, number)
    let text = try done {
      world.anna.tokens.mint(library: world.photos, app: permit.app, level: .readWrite, completion: $0)
    }.text
    let narrowed = try Macaroon(text: text).adding(.assets([UInt128(named.high) << 64 | UInt128(named.low)])).text
    let (first, second) = (world.connect(), world.connect())
    if !attachesFirst { try world.lose(number) }
    for holder in [first, second] { _ = try holder.attach(narrowed) }
    if attachesFirst { try world.lose(number) }
    let before = try world.changes(first.authorize(.read), since: nil).token
    #expect(try world.fetch(first).isEmpty && world.fetch(second).isEmpty)
    #expect(try take(world, [shown.away]) == [number])
    let event = try world.changes(first.authorize(.read), since: before)
    #expect(event.inserted.map(\.number) == [AssetNumber(UInt32(number))] && event.removed.isEmpty)
    #expect(try world.fetch(first) == [number] && world.fetch(second) == [number])
    _ = try world.edit(shown.app, remove: [number])
    #expect(
      try world.fetch(first).isEmpty && world.changes(first.authorize(.read), since: event.token).removed == [named])
  }

  @Test func `R13 a mark set while an asset returns is kept, even if its record was read before`() throws {
    let shown = try shown()
    let (world, anna, number) = (shown.world, shown.world.anna, shown.number)
    _ = try done {
      anna.marks.set(
        library: world.photos, world.selection([number]), favourite: nil, hidden: nil, neverShare: true, completion: $0)
    }
    _ = try done {
      anna.marks.set(
        library: world.photos, world.selection([number]), favourite: nil, hidden: nil, neverShare: false, completion: $0
      )
    }
    try world.lose(number)
    let last = try #require(
      try done { anna.decisions.list(library: world.photos, DecisionQuery(limit: 1), completion: $0) }.entries.first?
        .number)
    world.store.isDeferred = true
    world.anna.decisions.undo(last) { _ in }
    world.library.scan.apply([.insert(shown.away)]) { _ in }
    world.store.completeAll()
    #expect(world.row(number)?.flags == .neverShare)
  }

  @Test(arguments: [false, true])
  func `R95 an app is told once of a loss, even if the missing photo was deleted since`(_ restarts: Bool) throws {
    let shown = try shown()
    let world = shown.world
    var app = shown.app
    let identifier = try world.sealed(app.authorize(.read), shown.number)
    let token = try world.changes(app.authorize(.read), since: nil).token
    try world.lose(shown.number)
    world.environment.advance(MissingAsset.patience + .seconds(1))
    try world.lose(3)
    #expect(world.row(shown.number) == nil && world.library.missing.losses.map(\.asset) == [AssetNumber(3)])
    if restarts {
      try world.restart()
      app = try world.again(app)
    }
    let event = try world.changes(app.authorize(.read), since: token)
    #expect(event.removed == [identifier] && event.inserted.isEmpty)
    #expect(try world.changes(app.authorize(.read), since: event.token).isEmpty)
  }

  @Test func `R95 a photo that returns while others go missing is not deleted as the oldest`() throws {
    let shown = try shown()
    let world = shown.world
    try world.lose(shown.number)
    world.library.missing.losses += (1_000..<11_000).map { (AssetNumber($0), world.environment.now) }
    let batch: [AssetMutation] = [.insert(shown.away), .lose(AssetNumber(UInt32(shown.other)))]
    let numbers = try done { world.library.scan.apply(batch, completion: $0) }
    #expect(numbers.map { Int($0.rawValue) } == [shown.number] && world.row(shown.number)?.flags == [])
    #expect(world.store.assets[world.photos]?[numbers[0]] != nil)
    #expect(world.library.missing.losses.count == MissingAsset.alwaysKept)
  }

  @Test(arguments: [AssetFlags.hidden, .neverShare], [false, true])
  func `R13 a hidden or never-share asset returns so, and nobody is notified`(
    _ mark: AssetFlags, _ restarts: Bool
  )
    throws
  {
    let shown = try shown()
    let world = shown.world
    var app = shown.app
    try world.mark([shown.number], hidden: mark == .hidden, neverShare: mark == .neverShare)
    let token = try world.changes(app.authorize(.read), since: nil).token
    try world.lose(shown.number)
    if restarts {
      try world.restart()
      app = try world.again(app)
    }
    #expect(try take(world, [shown.away]) == [shown.number])
    #expect(world.row(shown.number)?.flags == mark)
    #expect(try world.fetch(app) == [shown.other])
    if !restarts { #expect(try world.changes(app.authorize(.read), since: token).isEmpty) }
    try world.mark([shown.number], hidden: false, neverShare: false)
    #expect(try world.fetch(app) == [shown.number, shown.other].sorted(), "it is selected still")
  }

  @Test(arguments: [
    ("a.jpg", "i1", 1, true), ("moved/a.jpg", "i1", 9, true), ("a.jpg", "i9", 1, true), ("a.jpg", "i9", 9, false),
    ("moved/a.jpg", "i9", 1, false),
  ])
  func `R95 a returning file is recognized by its file key, else by bytes and place, and a copy is another photo`(
    _ place: String, _ hint: String, _ bytes: Int, _ isIt: Bool
  ) throws {
    let shown = try shown()
    try shown.world.lose(shown.number)
    let found = shown.world.photo(place, hint: hint, digest: [UInt8(bytes)])
    #expect((try take(shown.world, [found]) == [shown.number]) == isIt)
    #expect(try shown.world.fetch(shown.app).contains(shown.number) == isIt)
  }

  @Test
  func `R95 of several new files only the one with the same file key is it`()
    throws
  {
    let shown = try shown()
    try shown.world.lose(shown.number)
    let numbers = try take(
      shown.world, [shown.world.photo("a.jpg", hint: "i9"), shown.world.photo("moved/a.jpg", hint: "i1")])
    #expect(numbers[1] == shown.number && numbers[0] > shown.other)
    #expect(try take(shown.world, [shown.world.photo("a.jpg", hint: "i1")])[0] > numbers[0], "it comes back once")
  }

  /// A missing photo with a second file.
  private func pair(_ role: ResourceRole) throws -> (world: World, number: Int, files: [AssetRecord]) {
    let world = try World()
    var record = world.photo("a.jpg", hint: "i1")
    let other = world.photo("a.x", hint: "i2", digest: [2])
    record.resources += other.resources.map { file in
      var file = file
      file.role = role
      return file
    }
    let number = try take(world, [record])[0]
    try world.lose(number)
    return (world, number, [world.photo("a.jpg", hint: "i1"), other])
  }

  @Test(arguments: [ResourceRole.raw, .pairedVideo, .edited, .sidecar], [("a.x", "i9"), ("b.x", "i2"), ("b.x", "i9")])
  func `R95 the first file that returns restores the photo, except a sidecar`(
    _ role: ResourceRole, _ found: (place: String, hint: String)
  ) throws {
    let pair = try pair(role)
    let first = try take(pair.world, [pair.world.photo(found.place, hint: found.hint, digest: [2])])
    #expect((first == [pair.number]) == (role != .sidecar && found != ("b.x", "i9")))
  }

  @Test func `R95 a returning original is the photo, in either order`() throws {
    let pair = try pair(.raw)
    #expect(try take(pair.world, pair.files.reversed())[1] == pair.number)
  }

  @Test(arguments: [false, true])
  func `R95 an asset missing for over a month returns as another photo`(_ isLater: Bool) throws {
    let shown = try shown()
    try shown.world.lose(shown.number)
    shown.world.environment.advance(MissingAsset.patience + .seconds(isLater ? 1 : 0))
    #expect((try take(shown.world, [shown.away]) == [shown.number]) == !isLater)
  }

  @Test func `unreadable missing records leave the library unchanged`() throws {
    let shown = try shown()
    try shown.world.lose(shown.number)
    let count = shown.world.library.catalogue.count
    shown.world.store.failsToRead = true
    #expect(code { try take(shown.world, [shown.away]) } == .failed)
    #expect(shown.world.library.catalogue.count == count)
  }

  @Test func `R95 the oldest missing assets are deleted first, a few at a time`() {
    let now = Timestamp(microseconds: 1_000_000_000).advanced(by: MissingAsset.patience)
    let all = (0..<300).map { (AssetNumber($0), Timestamp(microseconds: 1_000_000_000 - 50 + Int64($0))) }
    func count(_ limit: Int, of all: [MissingAsset.Loss]) -> Int {
      MissingAsset.expired(all, keeping: limit, at: now).count
    }
    #expect(count(300, of: all) == 50 && count(240, of: all) == 60 && count(0, of: all) == 100)
    #expect(count(0, of: []) == 0 && count(60, of: Array(all.suffix(60))) == 0)
  }
}
