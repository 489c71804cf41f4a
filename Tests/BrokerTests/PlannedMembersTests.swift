import Broker
import Catalogue
import Limits
import Macaroons
import PhotoModel
import TestSupport
import Testing

/// A change request's edits of an album's members keep the order, at a cost independent of the
/// album's size.
struct PlannedMembersTests {
  @Test(arguments: 0..<200) func `the resulting members equal those of applying each step`(seed: UInt64) {
    var random = SeededGenerator(seed)
    let before = (0..<UInt32.random(in: 0..<12, using: &random)).map { AssetNumber($0) }
    var model = before
    var members = PlannedMembers(before, visibleCount: before.count) { before.contains($0) }
    for _ in 0..<40 {
      let named = (0..<4).map { _ in AssetNumber(UInt32.random(in: 0..<14, using: &random)) }
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        for number in named where !model.contains(number) { model.append(number) }
        members.add(named)
      case 1:
        model.removeAll { named.contains($0) }
        members.remove(named)
      default:
        let moving = Array(Set(named.filter { model.contains($0) }))
        let next = model.filter { !moving.contains($0) }.randomElement(using: &random)
        model.removeAll { moving.contains($0) }
        model.insert(contentsOf: moving, at: next.flatMap { model.firstIndex(of: $0) } ?? model.endIndex)
        members.move(moving, before: next)
      }
      #expect(members.members == model && members.visibleCount == model.count)
      #expect((0..<14).allSatisfy { members.contains(AssetNumber($0)) == model.contains(AssetNumber($0)) })
    }
  }

  @Test func `a step asks only about its named members, however large the album`() {
    let before = (0..<10_000).map { AssetNumber(UInt32($0)) }
    var asked = 0
    var members = PlannedMembers(before, visibleCount: before.count) { number in
      asked += 1
      return number.rawValue < 10_000
    }
    for step in 0..<1_000 {
      members.add([AssetNumber(UInt32(step))])
      members.move([AssetNumber(UInt32(step))], before: AssetNumber(9_999))
      members.remove([AssetNumber(UInt32(step + 1_000))])
    }
    #expect(asked <= 3_000)
    #expect(members.members.count == 9_000)
  }

  @Test func `a request changes members of a limited number of albums`() throws {
    let world = try World()
    let permit = try world.fullApp().authorize(.edit)
    let names = (0...BrokerLimits.changedAlbums).map { "Album \($0)" }
    let albums = try world.perform(permit, names.map { .createAlbum(title: $0) }).createdAlbums
    let targets = [try world.target(permit, 1)]
    let steps = albums.map { ChangeStep.addToAlbum(AlbumTarget($0), targets) }
    for dryRun in [true, false] {
      #expect(code { try world.perform(permit, steps, dryRun: dryRun) } == .photos(.limitExceeded))
    }
    #expect(world.library.albums.values.allSatisfy { $0.members.isEmpty }, "all steps or none")
    // A repeated album counts once, and one with unchanged members not at all.
    let other = AlbumTarget(albums[BrokerLimits.changedAlbums])
    _ = try world.perform(permit, steps.dropLast() + steps.dropLast() + [.renameAlbum(other, title: "Other")])
    #expect(world.library.albums.values.filter { $0.members == [AssetNumber(1)] }.count == BrokerLimits.changedAlbums)
  }

  @Test func `an app creates a limited number of albums per library, over all requests`() throws {
    let world = try World()
    let permit = try world.fullApp().authorize(.edit)
    let most = BrokerLimits.albumsPerApp
    func creating(_ count: Int) -> [ChangeStep] { (0..<count).map { .createAlbum(title: "Album \($0)") } }
    for dryRun in [true, false] {
      #expect(code { try world.perform(permit, creating(most + 1), dryRun: dryRun) } == .photos(.limitExceeded))
    }
    #expect(world.library.albums.isEmpty, "all steps or none")
    // The owner's albums do not count.
    _ = try world.album("Owner's", [])
    let own = try world.perform(permit, creating(most - 1)).createdAlbums
    _ = try world.perform(permit, creating(1))
    for dryRun in [true, false] {
      let failure = #expect(throws: BrokerError.self) { try world.perform(permit, creating(1), dryRun: dryRun) }
      #expect(failure?.code == .photos(.limitExceeded) && failure?.message.contains("\(most)") == true)
    }
    // Deleting one makes room for exactly one in the same request; other albums can be changed.
    _ = try world.perform(
      permit, [.renameAlbum(AlbumTarget(own[1]), title: "Other"), .deleteAlbum(AlbumTarget(own[0]))] + creating(1))
    let exchanging = [.deleteAlbum(AlbumTarget(own[1]))] + creating(2)
    #expect(code { try world.perform(permit, exchanging) } == .photos(.limitExceeded))
    #expect(world.library.albums.values.count { $0.creator != nil } == most)
  }

  @Test func `an album holds a limited number of assets that the app sees`() throws {
    let world = try World()
    let session = try world.fullApp()
    let made = try world.perform(session.authorize(.edit), [.createAlbum(title: "Large")]).createdAlbums[0]
    let album = try world.library.seals[session.authorize(.edit).app].open(made)
    try world.fill(album: album, members: BrokerLimits.albumAssets, hidden: 1)
    let permit = try world.reattached(session)
    func adding(_ numbers: [Int]) throws -> [ChangeStep] {
      [.addToAlbum(AlbumTarget(made), try numbers.map { try world.target(permit, $0) })]
    }
    for dryRun in [true, false] {
      #expect(code { try world.perform(permit, adding([1, 2]), dryRun: dryRun) } == .photos(.limitExceeded))
    }
    _ = try world.perform(permit, adding([1]))
    #expect(code { try world.perform(permit, adding([2])) } == .photos(.limitExceeded))
    #expect(world.library.albums[album]?.members.count == BrokerLimits.albumAssets + 1)
  }

  @Test func `a request changes albums with a limited number of members that the app sees`() throws {
    let world = try World()
    let session = try world.fullApp()
    let permit = try session.authorize(.edit)
    let half = BrokerLimits.changedAlbumMembers / 2
    let numbers = try done { completion in
      world.library.scan.apply((0...half).map { .insert(world.photo("\($0).jpg")) }, completion: completion)
    }.map { Int($0.rawValue) }
    let large = try world.album("Large", numbers)
    let other = try world.album("Other", Array(numbers.dropLast()))
    let seals = try world.library.seals[permit.app]
    let steps = try [large, other].map { album in
      ChangeStep.removeFromAlbum(AlbumTarget(try seals.seal(album)), [try world.target(permit, numbers[0])])
    }
    #expect(code { try world.perform(permit, steps, dryRun: true) } == .photos(.limitExceeded))
    try world.mark([numbers[half]], hidden: true)
    _ = try world.perform(permit, steps, dryRun: true)
  }

  @Test func `R45 another's cloud-shared album is absent in limited mode by every route`() throws {
    let world = try World()
    let identifier = AlbumIdentifier(high: 4, low: 5)
    world.store.commit([
      .putAlbum(
        world.photos,
        AlbumRecord(
          identifier: identifier, title: "Theirs", creator: nil, source: .cloudShared, created: world.environment.now,
          members: [AssetNumber(1)]))
    ]) { _ in }
    try world.restart()
    let session = try world.fullApp()
    func route(_ permit: Permit) throws -> [BrokerError.Code?] {
      let album = try world.library.seals[permit.app].seal(identifier)
      return [
        code { try world.library.albums.members(of: identifier, for: permit.grant) },
        code { try world.perform(permit, [.renameAlbum(AlbumTarget(album), title: "Mine")], dryRun: true) },
        code {
          try world.perform(permit, [.addToAlbum(AlbumTarget(album), [try world.target(permit, 1)])], dryRun: true)
        },
        code { try world.perform(permit, [.deleteAlbum(AlbumTarget(album))], dryRun: true) },
      ]
    }
    #expect(try route(session.authorize(.edit)) == [nil, nil, nil, nil])
    _ = try world.set(session, .limited)
    _ = try world.edit(session, add: [1])
    let permit = try session.authorize(.edit)
    world.broker.setAlbums(.full, of: permit.grant)
    #expect(try route(permit) == Array(repeating: .photos(.identifierNotFound), count: 4))
    #expect(world.library.albums.shown(to: permit.grant).isEmpty)
  }
}

extension World {
  /// An app that sees all albums and may change them.
  fileprivate func fullApp() throws -> Session {
    let session = try app(.allow)
    broker.setAlbums(.full, of: try session.authorize(.edit).grant)
    return session
  }

  func album(_ title: String, _ numbers: [Int]) throws -> AlbumIdentifier {
    let edit = OwnedAlbumEdit(title: title, adding: selection(numbers), removing: nil, isShared: nil, deletes: false)
    return try #require(try done { library.albumEditor.edit(nil, edit, completion: $0) }).identifier
  }
}
