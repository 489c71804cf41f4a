import Broker
import Catalogue
import Limits
import Macaroons
import PhotoModel
import Testing

/// Cached album contents equal those of a complete computation.
@Suite struct AlbumVisibilityTests {
  private func narrowed(_ whole: Permit, to numbers: [Int], in world: World) throws -> Session {
    let (photos, app) = (world.photos, whole.app)
    let text = try Macaroon(
      text: done { world.anna.tokens.mint(library: photos, app: app, level: .readWrite, completion: $0) }.text)
    let assets = try numbers.map { try world.sealed(whole, $0) }.map { UInt128($0.high) << 64 | UInt128($0.low) }
    let session = world.connect()
    _ = try session.attach(text.adding(.assets(Set(assets))).text)
    return session
  }

  @Test
  func `R40 R50 albums show the view's assets after any changes, even if computed in small steps`()
    throws
  {
    var random = SystemRandomNumberGenerator()
    for isLimited in [true, false] {
      let world = try World()
      let session = try isLimited ? world.app(.select, selecting: [1, 2, 3]) : world.app(.allow)
      let whole = try session.authorize(.edit)
      let narrow = try narrowed(whole, to: [1, 4, 7], in: world).authorize(.read)
      let albums = try (0..<4).map { try world.album("Album \($0)", [1 + $0, 2 + $0, 4, 7]) }
      for _ in 0..<400 {
        let number = Int.random(in: 1...10, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0 where isLimited: _ = try world.edit(session, add: [number])
        case 1 where isLimited: _ = try world.edit(session, remove: [number])
        case 2: try world.mark([number], hidden: Bool.random(using: &random))
        case 3:
          let seen = Set(albums.filter { _ in Bool.random(using: &random) })
          world.broker.setAlbums(
            AlbumAccess(visible: .only(seen), editable: .only([]), mayCreate: false), of: whole.grant)
        case 4:
          let album = albums.randomElement(using: &random)!
          let edit = OwnedAlbumEdit(
            title: nil, adding: world.selection([number]),
            removing: world.selection([Int.random(in: 1...10, using: &random)]),
            isShared: nil, deletes: false)
          _ = try done { world.library.albumEditor.edit(album, edit, completion: $0) }
        default:
          var left = Int.random(in: 0..<3, using: &random)
          _ = world.library.changes.noteSeen(by: whole.grant) {
            left -= 1
            return left >= 0
          }
        }
        guard Bool.random(using: &random) else { continue }
        for permit in [whole, narrow] {
          let visibleAlbums = world.library.albums.visibleAlbums(of: permit.grant, permit.attenuation)
          let visible = Set(world.visible(permit))
          for album in albums {
            let members = world.library.albums[album]?.members.map { Int($0.rawValue) }.filter(visible.contains) ?? []
            let isShown = permit.grant.albums.shows(album) && (permit.attenuation == nil || !members.isEmpty)
            #expect(visibleAlbums[album].map { $0.members.map { Int($0.rawValue) } } == (isShown ? members : nil))
          }
        }
      }
    }
  }

  @Test
  func
    `R125 tokens that are attached are narrowed to so many sets of assets and no more, and one that ends makes room`()
    throws
  {
    let world = try World()
    let whole = try world.app(.allow).authorize(.edit)
    let most = BrokerLimits.narrowingsPerGrant
    let numbers = try world.insertMany(most + 2, "photo")
    var sessions = try numbers.prefix(most).map { try narrowed(whole, to: [$0], in: world) }
    #expect(code { try narrowed(whole, to: [numbers[most]], in: world) } == .photos(.limitExceeded))
    // A second token with the same set of assets does not count.
    sessions.append(try narrowed(whole, to: [numbers[0]], in: world))
    #expect(try world.fetch(sessions[most]) == [numbers[0]])
    sessions[1].close()
    sessions.remove(at: 1)
    #expect(try world.fetch(narrowed(whole, to: [numbers[most + 1]], in: world)) == [numbers[most + 1]])
  }

  @Test func `an app's albums share a bound of visible members`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let first = try app.authorize(.edit)
    world.broker.setAlbums(.full, of: first.grant)
    let per = 2_000
    let count = BrokerLimits.albumMembersPerApp / per
    let numbers = try world.insertMany(per, "photo")
    _ = try world.perform(first, (0..<count).map { .createAlbum(title: "Album \($0)") })
    try world.fillAlbums(of: first.app, with: Array(numbers.dropLast()))
    let permit = try world.reattached(app)
    let seals = try world.library.seals[permit.app]
    let own = try world.library.albums.values.map { try seals.seal($0.identifier) }
    func adding(_ album: AlbumIdentifier, _ members: ArraySlice<Int>) throws -> ChangeStep {
      .addToAlbum(AlbumTarget(album), try members.map { try world.target(permit, $0) })
    }
    // One member is missing in each album, so that all together are at the limit.
    for start in stride(from: 0, to: count, by: BrokerLimits.changedAlbums) {
      let steps = try own[start..<min(start + BrokerLimits.changedAlbums, count)].map {
        try adding($0, numbers.suffix(1))
      }
      _ = try world.perform(permit, steps)
    }
    for dryRun in [true, false] {
      #expect(code { try world.perform(permit, [adding(own[0], [1])], dryRun: dryRun) } == .photos(.limitExceeded))
    }
    // Removals make room, even in the same request; invisible members do not count.
    let exchange = try [.removeFromAlbum(AlbumTarget(own[1]), [world.target(permit, numbers[0])]), adding(own[0], [1])]
    _ = try world.perform(permit, exchange)
    #expect(code { try world.perform(permit, [adding(own[0], [2])]) } == .photos(.limitExceeded))
    _ = try world.perform(permit, [.deleteAlbum(AlbumTarget(own[2])), adding(own[0], [2])])
    try world.mark([numbers[5]], hidden: true)
    _ = try world.perform(permit, [adding(own[0], [3])])
  }
}
