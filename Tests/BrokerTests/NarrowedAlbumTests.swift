import Broker
import Catalogue
import Macaroons
import PhotoModel
import Testing

/// For the holder of an attenuated token, albums without a listed photo do not exist.
struct NarrowedAlbumTests {
  private let world: World
  private let whole: Permit
  /// A token for the photos 1 and 2.
  private let narrowed: Permit
  /// Contains the photos 1 and 5.
  private let mixed: AlbumIdentifier
  /// Contains the photo 5.
  private let other: AlbumIdentifier
  private let empty: AlbumIdentifier

  init() throws {
    let world = try World()
    let whole = try world.app(.select, selecting: [1, 2, 5, 6]).authorize(.edit)
    world.broker.setAlbums(.full, of: whole.grant)
    func album(_ title: String, _ members: [Int]) throws -> AlbumIdentifier {
      let made = try world.perform(whole, [.createAlbum(title: title)]).createdAlbums[0]
      for member in members {
        _ = try world.perform(whole, [.addToAlbum(AlbumTarget(made), [try world.target(whole, member)])])
      }
      return made
    }
    mixed = try album("Mixed", [1, 5])
    other = try album("Other", [5])
    empty = try album("Empty", [])
    let (photos, app) = (world.photos, whole.app)
    let text = try Macaroon(
      text: done { world.anna.tokens.mint(library: photos, app: app, level: .readWrite, completion: $0) }.text)
    let assets = try [1, 2].map { try world.sealed(whole, $0) }.map { UInt128($0.high) << 64 | UInt128($0.low) }
    let worker = world.connect()
    _ = try worker.attach(text.adding(.assets(Set(assets))).text)
    narrowed = try worker.authorize([.read, .edit, .observe])
    (self.world, self.whole) = (world, whole)
  }

  private var titles: [String] {
    world.library.albums.shown(to: narrowed.grant, narrowed.attenuation).map(\.title)
  }

  private func add(_ number: Int, to album: AlbumIdentifier, by permit: Permit) throws {
    _ = try world.perform(permit, [.addToAlbum(AlbumTarget(album), [try world.target(whole, number)])])
  }

  @Test func `R40 R125 an attenuated token lists the visible albums that hold one of its photos`() throws {
    #expect(titles == ["Mixed"])
    try add(2, to: other, by: whole)
    #expect(titles == ["Mixed", "Other"])
    try world.mark([1], hidden: true)
    #expect(titles == ["Other"])
    _ = try world.perform(whole, [.removeFromAlbum(AlbumTarget(other), [try world.target(whole, 2)])])
    #expect(titles.isEmpty)
    try world.mark([1], hidden: false)
    #expect(titles == ["Mixed"])
  }

  @Test func `R40 R125 other albums are absent for every step, and it creates none that it would not see`() throws {
    let absent = AlbumIdentifier(high: 7, low: 7)
    for album in [other, empty, absent] {
      let target = try world.target(whole, 1)
      for step in [
        ChangeStep.addToAlbum(AlbumTarget(album), [target]), .removeFromAlbum(AlbumTarget(album), [target]),
        .moveInAlbum(AlbumTarget(album), [target], before: nil),
      ] {
        #expect(code { try world.perform(narrowed, [step]) } == .photos(.identifierNotFound))
      }
      let opened = try world.library.seals[whole.app].open(album)
      #expect(
        code {
          try world.library.albums.members(of: opened, for: narrowed.grant, subset: narrowed.attenuation?.selection)
        }
          == .photos(.identifierNotFound))
    }
    #expect(code { try world.perform(narrowed, [.createAlbum(title: "New")]) } == .tokenRefused)
    try add(2, to: mixed, by: narrowed)
    #expect(titles == ["Mixed"])
  }

  @Test
  func `R125 an attenuated token renames and deletes no album, and all refusals are equal`()
    throws
  {
    let alone = try world.perform(whole, [.createAlbum(title: "Alone")]).createdAlbums[0]
    try add(1, to: alone, by: whole)
    for album in [mixed, alone, other, empty, AlbumIdentifier(high: 7, low: 7)] {
      for step in [ChangeStep.renameAlbum(AlbumTarget(album), title: "Mine"), .deleteAlbum(AlbumTarget(album))] {
        #expect(code { try world.perform(narrowed, [step]) } == .tokenRefused)
      }
    }
    #expect(titles == ["Alone", "Mixed"])
    _ = try world.perform(whole, [.renameAlbum(AlbumTarget(mixed), title: "Ours")])
    #expect(titles == ["Alone", "Ours"])
  }

  @Test func `R62 R125 an attenuated token opens no selection page in the app's name`()
    throws
  {
    #expect(code { try done { narrowed.session.presentLimitedLibraryPicker(completion: $0) } } == .tokenRefused)
    #expect(world.anna.prompts.views(language: nil).isEmpty)
    whole.session.presentLimitedLibraryPicker { _ in }
    #expect(world.anna.prompts.views(language: nil).count == 1)
  }

  @Test func `R71 R125 changes of other photos' albums move no change token of it`() throws {
    let token = try world.changes(narrowed, since: nil).token
    let made = try world.perform(whole, [.createAlbum(title: "New")]).createdAlbums[0]
    try add(6, to: made, by: whole)
    try add(6, to: mixed, by: whole)
    _ = try world.perform(
      whole, [.renameAlbum(AlbumTarget(other), title: "Another"), .deleteAlbum(AlbumTarget(empty))])
    _ = try world.perform(whole, [.removeFromAlbum(AlbumTarget(mixed), [try world.target(whole, 5)])])
    #expect(try world.changes(narrowed, since: nil).token == token)
    #expect(try world.changes(narrowed, since: token).isEmpty)
    try add(6, to: mixed, by: whole)
    _ = try world.perform(
      whole, [.moveInAlbum(AlbumTarget(mixed), [try world.target(whole, 6)], before: try world.target(whole, 1))])
    #expect(try world.changes(narrowed, since: token).isEmpty)
    // Earlier changes do not count when the album becomes visible.
    try add(2, to: other, by: whole)
    #expect(try world.changes(narrowed, since: token).albumsChanged)
  }

  @Test func `R71 R125 changes of its albums are reported, even after a restart`() throws {
    var token = try world.changes(narrowed, since: nil).token
    func told(_ step: ChangeStep) throws {
      _ = try world.perform(whole, [step])
      let event = try world.changes(narrowed, since: token)
      #expect(event.albumsChanged && event.inserted.isEmpty && event.changed.isEmpty && event.removed.isEmpty)
      token = event.token
    }
    try told(.addToAlbum(AlbumTarget(other), [try world.target(whole, 2)]))
    try told(.renameAlbum(AlbumTarget(other), title: "Another"))
    try told(.removeFromAlbum(AlbumTarget(other), [try world.target(whole, 2)]))
    try told(.deleteAlbum(AlbumTarget(mixed)))
    #expect(try world.changes(narrowed, since: token).isEmpty)
    let (key, attenuation) = (narrowed.grant.record.key, narrowed.attenuation)
    try world.restart()
    let grant = try #require(world.broker.grant(key))
    world.broker.setAlbums(.full, of: grant)
    #expect(try world.library.changes.list(since: token, grant: grant, attenuation: attenuation).isEmpty)
  }
}
