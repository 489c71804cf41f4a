import Broker
import Catalogue
import Macaroons
import PhotoModel
import Testing

/// A change is refused if the album changed since the app fetched it.
@Suite struct AlbumVersionTests {
  private let world: World
  private let session: Session
  private let permit: Permit
  private let album: AlbumIdentifier

  init() throws {
    world = try World()
    session = try world.app(.allow)
    permit = try session.authorize(.edit)
    world.broker.setAlbums(.full, of: permit.grant)
    album = try world.perform(permit, [.createAlbum(title: "Trip")]).createdAlbums[0]
    _ = try world.perform(
      permit, [.addToAlbum(AlbumTarget(album), try [1, 2, 3].map { try world.target(permit, $0) })])
  }

  private func version(_ permit: Permit) throws -> UInt64 {
    let seals = try world.library.seals[permit.app]
    let own = try seals.open(album)
    let visibleAlbum = try #require(world.library.albums.visibleAlbums(of: permit.grant)[own])
    return try seals.version(of: own, state: visibleAlbum.state)
  }

  private func target(_ number: Int) throws -> AssetTarget { try world.target(permit, number) }

  @Test func `every step is refused on an older version and accepted on the present one`() throws {
    func steps(_ version: UInt64) throws -> [ChangeStep] {
      let album = AlbumTarget(album, version: version)
      return [
        .renameAlbum(album, title: "Sea"), .addToAlbum(album, [try target(4)]),
        .removeFromAlbum(album, [try target(1)]),
        .moveInAlbum(album, [try target(3)], before: nil), .deleteAlbum(album),
      ]
    }
    let before = try version(permit)
    for step in try steps(before) { _ = try world.perform(permit, [step], dryRun: true) }
    let others: [ChangeStep] = [
      .renameAlbum(AlbumTarget(album), title: "Lake"), .addToAlbum(AlbumTarget(album), [try target(5)]),
      .moveInAlbum(AlbumTarget(album), [try target(5)], before: try target(1)),
      .removeFromAlbum(AlbumTarget(album), [try target(2)]),
    ]
    for other in others {
      let old = try version(permit)
      _ = try world.perform(permit, [other])
      let commits = world.store.commits
      for step in try steps(old) {
        #expect(code { try world.perform(permit, [step]) } == .photos(.operationInterrupted), "\(step) after \(other)")
      }
      #expect(world.store.commits == commits)
      for step in try steps(version(permit)) { _ = try world.perform(permit, [step], dryRun: true) }
    }
    // The version of every step is the one before the request.
    _ = try world.perform(permit, steps(version(permit)))
    #expect(world.library.albums.isEmpty)
  }

  @Test func `R40 a version covers an app's view and reveals nothing else`() throws {
    _ = try world.set(session, .limited)
    _ = try world.edit(session, add: [1, 2])
    let own = try world.library.seals[permit.app].open(album)
    world.broker.setAlbums(
      AlbumAccess(visible: .only([own]), editable: .only([own]), mayCreate: true), of: permit.grant)
    let limited = try session.authorize(.edit)
    let before = try version(limited)
    func members(_ numbers: [Int]) throws {
      let selection = world.selection(numbers)
      let edit = OwnedAlbumEdit(title: nil, adding: selection, removing: nil, isShared: nil, deletes: false)
      _ = try done { world.library.albumEditor.edit(own, edit, completion: $0) } as AlbumRecord?
    }
    try members([5, 6])
    try world.remove(3)
    try world.insert("more.jpg")
    #expect(try version(limited) == before)
    _ = try world.edit(session, remove: [2])
    #expect(try version(limited) != before)
    _ = try world.edit(session, add: [2])
    #expect(try version(limited) == before)
    try world.mark([1], favourite: true)
    #expect(try version(limited) == before, "what becomes of a member is the member's version")
    try world.restart()
    #expect(try version(world.reattached(session)) == before)
  }
}
