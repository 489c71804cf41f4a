import Broker
import Catalogue
import Limits
import Macaroons
import PhotoModel
import Testing

/// R131: an app's changes of albums that it did not make are recorded, and the owner can undo them.
@Suite struct ForeignAlbumTests {
  private let world: World
  private let app: Session
  private let album: AlbumIdentifier

  init() throws {
    let world = try World()
    let edit = OwnedAlbumEdit(
      title: "Wedding", adding: world.selection([1, 2, 3]), removing: nil, isShared: nil, deletes: false)
    let made: AlbumRecord? = try done { world.anna.albums.edit(nil, of: world.photos, edit, completion: $0) }
    album = try #require(made?.identifier)
    app = try world.app(.allow)
    world.broker.setAlbums(.full, of: try app.authorize(.edit).grant)
    self.world = world
  }

  private func change(_ steps: (AlbumTarget) throws -> [ChangeStep], dryRun: Bool = false) throws {
    let permit = try app.authorize(.edit)
    let target = AlbumTarget(try world.library.seals[permit.app].seal(album))
    _ = try world.perform(permit, steps(target), dryRun: dryRun)
  }

  private func target(_ number: Int) throws -> AssetTarget { try world.target(app.authorize(.edit), number) }

  private func entries() throws -> [KeptDecision] {
    try done { world.anna.decisions.list(library: world.photos, DecisionQuery(limit: 1_000), completion: $0) }.entries
  }

  private func ofApp() throws -> [KeptDecision] { try entries().filter { $0.record.role == .app } }

  private func members() -> [Int]? { world.library.albums[album]?.members.map { Int($0.rawValue) } }

  @Test func `R131 an app's edits of an owner's album are recorded with its name, and each is undone`()
    throws
  {
    try change { [.renameAlbum($0, title: "Mine")] }
    try change { [.removeFromAlbum($0, [try target(1), try target(3)])] }
    try change { [.addToAlbum($0, [try target(5)])] }
    try change { [.deleteAlbum($0)] }
    let entered = try ofApp()
    #expect(entered.count == 4)
    for entry in entered {
      let record = entry.record
      #expect(
        (record.action, record.app, record.actor, record.source) == ("album", app.app!.identifier, World.appUser, .app))
      #expect(
        record.level == nil && entry.change?.isOnAlbum == true && world.anna.decisions.mayUndo(entry)
          && !world.bert.decisions.mayUndo(entry))
    }
    #expect(entered[0].record.after == "no album")
    #expect(members() == nil)
    for entry in entered { _ = try done { world.anna.decisions.undo(entry.number, completion: $0) } }
    #expect(
      members() == [1, 2, 3] && world.library.albums[album]?.title == "Wedding"
        && world.library.albums[album]?.creator == nil)
    try world.restart()
    #expect(members() == [1, 2, 3])
  }

  @Test func `R131 they are undone even after the app's removal, unless the owner decided otherwise`()
    throws
  {
    try change { [.removeFromAlbum($0, [try target(1)])] }
    try change { [.renameAlbum($0, title: "Mine")] }
    let (renamed, removed) = (try ofApp()[0], try ofApp()[1])
    func edit(_ title: String) throws {
      let edit = OwnedAlbumEdit(title: title, adding: nil, removing: nil, isShared: nil, deletes: false)
      _ = try done { world.anna.albums.edit(album, of: world.photos, edit, completion: $0) }
    }
    try edit("Ours")
    try edit("Mine")
    #expect(code { try done { world.anna.decisions.undo(renamed.number, completion: $0) } } == .refused)
    _ = try done { world.root.apps.remove(app.app!.identifier, completion: $0) }
    let entry = try #require(try entries().first { $0.number == removed.number })
    #expect(world.anna.decisions.mayUndo(entry))
    _ = try done { world.anna.decisions.undo(removed.number, completion: $0) }
    #expect(members() == [1, 2, 3])
  }

  @Test func `R152 an app's edits of its own albums are recorded, dry runs and redundant steps are not`() throws {
    let made = try world.perform(app.authorize(.edit), [.createAlbum(title: "Own")]).createdAlbums[0]
    let own = AlbumTarget(made)
    _ = try world.perform(
      app.authorize(.edit), [.addToAlbum(own, [try target(1)]), .renameAlbum(own, title: "Still own")])
    _ = try world.perform(app.authorize(.edit), [.deleteAlbum(own)])
    #expect(try ofApp().count == 3)
    try change({ [.deleteAlbum($0)] }, dryRun: true)
    try change { [.renameAlbum($0, title: "Wedding"), .addToAlbum($0, [try target(1)])] }
    #expect(try ofApp().count == 3)
    for entry in try ofApp() { _ = try done { world.anna.decisions.undo(entry.number, completion: $0) } }
    #expect(world.library.albums.values.map(\.title) == ["Wedding"])
  }

  @Test func `R131 an app makes a hundred such edits an hour at most, and excess ones do nothing`() throws {
    for number in 0..<BrokerLimits.albumChangesPerHour { try change { [.renameAlbum($0, title: "\(number)")] } }
    #expect(code { try change { [.renameAlbum($0, title: "one more")] } } == .photos(.limitExceeded))
    #expect(world.library.albums[album]?.title == "\(BrokerLimits.albumChangesPerHour - 1)")
    _ = try world.perform(app.authorize(.edit), [.createAlbum(title: "Own")])
    // Removals have a daily limit, so that their undo is available for days.
    world.environment.monotonic += .seconds(3600)
    #expect(code { try change { [.renameAlbum($0, title: "later")] } } == .photos(.limitExceeded))
    try change { [.addToAlbum($0, [try target(4)])] }
    world.environment.monotonic += .seconds(23 * 3600)
    try change { [.renameAlbum($0, title: "later")] }
    #expect(try ofApp().count == BrokerLimits.albumChangesPerHour + 3)
  }
}
