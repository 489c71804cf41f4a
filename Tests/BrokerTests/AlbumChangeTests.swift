import Broker
import Catalogue
import Macaroons
import PhotoModel
import Testing

/// An app is told of visible changes of albums, and of no others.
struct AlbumChangeTests {
  private let world: World
  private let limited: Session
  private let full: Session
  /// The album of the limited app, by its own identifier, by the other app's, and by the broker's.
  private let album: (own: AlbumIdentifier, other: AlbumIdentifier, broker: AlbumIdentifier)

  init() throws {
    world = try World()
    limited = try world.app(.select, selecting: [1, 2])
    full = try world.app(.allow, manifest: .test("org.example.full"))
    let permit = try limited.authorize(.edit)
    world.broker.setAlbums(AlbumAccess(visible: .only([]), editable: .only([]), mayCreate: true), of: permit.grant)
    world.broker.setAlbums(.full, of: try full.authorize(.edit).grant)
    let own = try world.perform(permit, [.createAlbum(title: "Trip")]).createdAlbums[0]
    let identifier = try world.library.seals[permit.app].open(own)
    world.broker.setAlbums(
      AlbumAccess(visible: .only([identifier]), editable: .only([identifier]), mayCreate: true), of: permit.grant)
    album = (own, try world.library.seals[full.authorize(.edit).app].seal(identifier), identifier)
  }

  private func edit(_ steps: [ChangeStep]) throws { _ = try world.perform(full.authorize(.edit), steps) }

  @Test func `R71 an invisible member's additions and removals are unreported and keep the tokens`() throws {
    let token = try world.changes(limited.authorize(.read), since: nil).token
    try edit([.addToAlbum(AlbumTarget(album.other), [try world.target(full.authorize(.edit), 5)])])
    try edit([.removeFromAlbum(AlbumTarget(album.other), [try world.target(full.authorize(.edit), 5)])])
    let event = try world.changes(limited.authorize(.read), since: token)
    #expect(event.isEmpty && event.token == token)
  }

  @Test func `R71 visible members and the album itself are reported`() throws {
    var token = try world.changes(limited.authorize(.read), since: nil).token
    let steps: [[ChangeStep]] = [
      [
        .addToAlbum(
          AlbumTarget(album.other),
          [try world.target(full.authorize(.edit), 1), try world.target(full.authorize(.edit), 5)])
      ],
      [.removeFromAlbum(AlbumTarget(album.other), [try world.target(full.authorize(.edit), 1)])],
      [.renameAlbum(AlbumTarget(album.other), title: "Journey")],
      [.deleteAlbum(AlbumTarget(album.other))],
    ]
    for each in steps {
      try edit(each)
      let event = try world.changes(limited.authorize(.read), since: token)
      #expect(event.albumsChanged && event.inserted.isEmpty && event.changed.isEmpty && event.removed.isEmpty)
      token = event.token
    }
  }

  @Test func `R71 a moved member is reported if it passes a visible one, by any steps`() throws {
    func target(_ number: Int) throws -> AssetTarget { try world.target(full.authorize(.edit), number) }
    let other = AlbumTarget(album.other)
    try edit([.addToAlbum(other, [try target(1), try target(5), try target(2), try target(6)])])
    func event(_ steps: [ChangeStep]) throws -> ChangeEvent {
      let token = try world.changes(limited.authorize(.read), since: nil).token
      try edit(steps)
      let event = try world.changes(limited.authorize(.read), since: token)
      #expect(
        event.albumsChanged == (event.token != token) && event.inserted.isEmpty && event.changed.isEmpty
          && event.removed.isEmpty)
      return event
    }
    // 1 5 2 6: moves past hidden members, and moves of hidden members.
    #expect(try event([.moveInAlbum(other, [try target(2)], before: try target(5))]).isEmpty)
    #expect(try event([.moveInAlbum(other, [try target(6)], before: try target(1))]).isEmpty)
    #expect(try event([.moveInAlbum(other, [try target(5)], before: nil)]).isEmpty)
    #expect(try event([.removeFromAlbum(other, [try target(2)]), .addToAlbum(other, [try target(2)])]).isEmpty)
    #expect(try event([.removeFromAlbum(other, [try target(1)]), .addToAlbum(other, [try target(1)])]).albumsChanged)
    #expect(try event([.moveInAlbum(other, [try target(1)], before: try target(2))]).albumsChanged)
  }

  @Test func `R71 an album is reported when its members become visible or invisible, before and after folding the log`()
    throws
  {
    try edit([.addToAlbum(AlbumTarget(album.other), [1, 2, 5].map { try world.target(full.authorize(.edit), $0) })])
    var token = try world.changes(limited.authorize(.read), since: nil).token
    func told(_ members: [Int], _ act: () throws -> Void) throws {
      try act()
      world.foldLog()
      let permit = try limited.authorize(.read)
      let event = try world.changes(permit, since: token)
      #expect(event.albumsChanged && !event.resynchronize)
      #expect(
        world.library.albums.visibleAlbums(of: permit.grant)[album.broker]?.members
          == members.map { AssetNumber(UInt32($0)) })
      token = event.token
    }
    try told([2]) { _ = try world.edit(limited, remove: [1]) }
    try told([2, 5]) { _ = try world.edit(limited, add: [5]) }
    try told([5]) { try world.mark([2], hidden: true) }
    try told([2, 5]) { try world.mark([2], hidden: false) }
    try told([2]) {
      _ = try world.perform(full.authorize(.edit), [.delete([try world.target(full.authorize(.edit), 5)])])
    }
    // Changes of other members are not told.
    try world.mark([1], hidden: true)
    try world.mark([1], hidden: false)
    #expect(try world.changes(limited.authorize(.read), since: token).isEmpty)
  }

  @Test func `R71 a visible album's title is reported, whoever sets it`() throws {
    let world = try World()
    func edit(_ title: String) -> Result<AlbumRecord?, BrokerError>? {
      let told = Box<Result<AlbumRecord?, BrokerError>>()
      let edit = OwnedAlbumEdit(title: title, adding: nil, removing: nil, isShared: nil, deletes: false)
      world.library.albumEditor.edit(nil, edit, completion: { told.value = $0 })
      return told.value
    }
    for title in ["", " ", "\u{200B}\u{3000}", "a\u{202E}b"] {
      #expect(throws: BrokerError.self, "\(title)") { try #require(edit(title)).get() }
    }
    #expect(world.library.albums.isEmpty)
    #expect(try #require(edit(" Trip ")).get()?.title == " Trip ")
  }

  @Test func `R71 an unchanged title is no change of the album`() throws {
    let token = try world.changes(limited.authorize(.read), since: nil).token
    try edit([.renameAlbum(AlbumTarget(album.other), title: "Trip")])
    #expect(try world.changes(limited.authorize(.read), since: token).isEmpty)
  }

  @Test func `R71 a member that joined while hidden is not reported with the hiding`() throws {
    let token = try world.changes(limited.authorize(.read), since: nil).token
    _ = try world.edit(limited, remove: [1])
    try edit([.addToAlbum(AlbumTarget(album.other), [try world.target(full.authorize(.edit), 1)])])
    let event = try world.changes(limited.authorize(.read), since: token)
    #expect(event.removed.count == 1 && !event.albumsChanged)
  }

  @Test
  func
    `R40 an album is full of what the app sees of it: hidden members take up no room, and tell nothing by a refusal`()
    throws
  {
    let most = 100_000
    try world.fill(album: album.broker, members: most, hidden: most)
    let limited = try world.reattached(limited)
    let steps = [ChangeStep.addToAlbum(AlbumTarget(album.own), [try world.target(limited, 1)])]
    _ = try world.perform(limited, steps)
    #expect(world.library.albums[album.broker]?.members.count == most + 1)
    // One more visible member is refused; fewer are allowed.
    try world.fill(album: album.broker, members: most - 1, hidden: 0)
    let full = try world.reattached(full)
    _ = try world.perform(full, [.addToAlbum(AlbumTarget(album.other), [try world.target(full, 1)])])
    #expect(
      code { _ = try world.perform(full, [.addToAlbum(AlbumTarget(album.other), [try world.target(full, 2)])]) }
        == .photos(.limitExceeded))
    _ = try world.perform(full, [.removeFromAlbum(AlbumTarget(album.other), [try world.target(full, 1)])])
    _ = try world.perform(full, [.addToAlbum(AlbumTarget(album.other), [try world.target(full, 2)])])
  }

  @Test func `R137 a policy's changed answer is reported once to observers that see a difference`() throws {
    let permit = try limited.authorize(.observe)
    var signals = 0
    let (observer, _) = try world.library.changes.observe(since: nil, grant: permit.grant, attenuation: nil) {
      signals += 1
    }
    let access = permit.grant.albums
    world.broker.setAlbums(access, of: permit.grant)
    world.broker.setAlbums(
      AlbumAccess(
        visible: .only([album.broker, AlbumIdentifier(high: 9, low: 9)]), editable: access.editable, mayCreate: true),
      of: permit.grant)
    #expect(signals == 0, "an album that is not there is nothing to tell of")
    world.broker.setAlbums(.none, of: permit.grant)
    #expect(signals == 1)
    #expect(try world.library.changes.next(observer)?.albumsChanged == true)
    #expect(try world.library.changes.next(observer) == nil)
    world.library.changes.stopObserving(observer)
  }

  @Test
  func
    `R137 a policy's changed answer is told by change tokens too, also after a restart, and nothing of hidden albums`()
    throws
  {
    let permit = try limited.authorize(.observe)
    let (key, access) = (permit.grant.record.key, permit.grant.albums)
    let shown = try world.changes(permit, since: nil).token
    world.broker.setAlbums(
      AlbumAccess(
        visible: .only([album.broker, AlbumIdentifier(high: 9, low: 9)]), editable: access.editable, mayCreate: true),
      of: permit.grant)
    #expect(try world.changes(permit, since: nil).token == shown, "an album that is not there is nothing to tell of")
    world.broker.setAlbums(.none, of: permit.grant)
    let event = try world.changes(limited.authorize(.observe), since: shown)
    #expect(event.albumsChanged && event.inserted.isEmpty && event.removed.isEmpty && !event.resynchronize)
    #expect(try world.changes(limited.authorize(.observe), since: event.token).isEmpty, "and once")

    world.foldLog()
    try world.restart()
    let grant = try #require(world.broker.grant(key))
    func changes(since token: String) throws -> ChangeEvent {
      try world.library.changes.list(since: token, grant: grant, attenuation: nil)
    }
    #expect(try changes(since: event.token).isEmpty && changes(since: shown).albumsChanged)
    world.broker.setAlbums(access, of: grant)
    #expect(try changes(since: shown).isEmpty, "it is as it was then")
    #expect(try changes(since: event.token).albumsChanged)
    // The rights to change an album are visible too.
    let again = try changes(since: shown).token
    world.broker.setAlbums(
      AlbumAccess(visible: access.visible, editable: .only([]), mayCreate: access.mayCreate), of: grant)
    #expect(try changes(since: again).albumsChanged)
  }
}
