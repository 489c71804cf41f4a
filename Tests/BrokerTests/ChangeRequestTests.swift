import Broker
import Catalogue
import Macaroons
import PhotoModel
import Testing

struct ChangeRequestTests {
  private static func flags(_ world: World, _ number: Int) -> AssetFlags? {
    world.library.catalogue.row(of: AssetNumber(UInt32(number)))?.flags
  }

  @Test func `a request with a failing last step changes nothing, in memory or on disk`() throws {
    let world = try World()
    let permit = try world.app(.allow).authorize(.edit)
    world.broker.setAlbums(.full, of: permit.grant)
    let one = try world.target(permit, 1)
    let good: [ChangeStep] = [
      .setFavorite([one], true), .setCreationDate([one], Timestamp(seconds: 1)!),
      .setLocation([one], GeoPoint(latitudeE7: 1, longitudeE7: 1)),
      .setCaption([one], "words"), .createAlbum(title: "Album"), .delete([try world.target(permit, 2)]),
    ]
    let bad: [ChangeStep] = [
      .setFavorite([try world.target(permit, 99)], true), .setFavorite([], true),
      .setCaption([one], String(repeating: "a", count: 1_025)), .setCaption([one], "a\0b"), .createAlbum(title: ""),
      .createAlbum(title: " \u{200B} "), .createAlbum(title: "two\nlines"), .createAlbum(title: "\u{202e}gpj.exe"),
      .setCaption([one], "\u{1b}[31m"),
      .deleteAlbum(AlbumTarget(AlbumIdentifier(high: 1, low: 1))), .setFavorite([try world.target(permit, 2)], true),
    ]
    let before = world.library.catalogue.row(of: AssetNumber(1))
    let token = try world.changes(permit, since: nil).token
    let commits = world.store.commits
    for step in bad { #expect(code { try world.perform(permit, good + [step]) } != nil, "\(step)") }
    #expect(world.library.catalogue.row(of: AssetNumber(1)) == before)
    #expect(Self.flags(world, 2) == [] && world.library.albums.isEmpty)
    #expect(world.store.commits == commits)
    #expect(try world.changes(permit, since: token).isEmpty)
    let outcome = try world.perform(permit, good)
    #expect(outcome.createdAlbums.count == 1 && outcome.trashed == [AssetNumber(2)])
    #expect(Self.flags(world, 1) == .favourite && Self.flags(world, 2) == .trashed)
  }

  @Test func `a request that the disk refuses changes nothing`() throws {
    let world = try World()
    let permit = try world.app(.allow).authorize(.edit)
    let before = try world.list(permit)
    let token = try world.changes(permit, since: nil).token
    world.store.refusals = 1
    #expect(
      code {
        try world.perform(
          permit, [.setFavorite([try world.target(permit, 1)], true), .delete([try world.target(permit, 2)])])
      }
        == .failed)
    #expect(try world.list(permit) == before)
    #expect(try world.changes(permit, since: token).isEmpty)
  }

  @Test func `a dry run shows the result and changes nothing`() throws {
    let world = try World()
    let permit = try world.app(.allow).authorize(.edit)
    let before = try world.list(permit)
    #expect(
      try world.perform(permit, [.delete([try world.target(permit, 2)])], dryRun: true).trashed == [AssetNumber(2)])
    #expect(
      code { try world.perform(permit, [.delete([try world.target(permit, 98)])], dryRun: true) }
        == .photos(.identifierNotFound))
    #expect(try world.list(permit) == before)
  }

  @Test func `an asset changed since its fetch is not overwritten`() throws {
    let world = try World()
    let permit = try world.app(.allow).authorize(.edit)
    func version() throws -> UInt64 {
      try world.library.seals[permit.app].versions(of: [world.library.catalogue.row(of: AssetNumber(1))!])[0]
    }
    let old = try version()
    _ = try world.perform(permit, [.setFavorite([try world.target(permit, 1, version: old)], true)])
    let new = try version()
    #expect(new != old)
    #expect(
      code { try world.perform(permit, [.setFavorite([try world.target(permit, 1, version: old)], false)]) }
        == .photos(.operationInterrupted))
    #expect(Self.flags(world, 1) == .favourite)
    // An earlier step without a version does not disable the check.
    #expect(
      code {
        try world.perform(
          permit,
          [
            .setFavorite([try world.target(permit, 1)], false),
            .setCaption([try world.target(permit, 1, version: old)], "words"),
          ])
      } == .photos(.operationInterrupted))
    #expect(Self.flags(world, 1) == .favourite)
    // The version of every step is the one before the request.
    let target = try world.target(permit, 1, version: new)
    _ = try world.perform(permit, [.setFavorite([target], false), .setCaption([target], "words")])
    #expect(Self.flags(world, 1) == [])
  }

  @Test
  func `a redundant step is no change for apps, and its value still wins over the file's`()
    throws
  {
    let world = try World()
    let permit = try world.app(.allow).authorize(.edit)
    let one = try world.target(permit, 1)
    let steps: [ChangeStep] = [
      .setFavorite([one], true), .setCreationDate([one], Timestamp(seconds: 1)!),
      .setLocation([one], GeoPoint(latitudeE7: 10, longitudeE7: 20)), .setCaption([one], "words"),
    ]
    _ = try world.perform(permit, steps)
    let (row, token) = (world.row(1), try world.changes(permit, since: nil).token)
    world.environment.advance(.seconds(60))
    _ = try world.perform(permit, steps)
    _ = try world.perform(permit, [.setFavorite([one], false), .setFavorite([try world.target(permit, 2)], false)])
    let changed = try world.changes(permit, since: token).changed.map(\.number)
    #expect(changed == [AssetNumber(1)] && world.row(1) != row, "the favourite alone is another")
    var file = world.photo("a.jpg")
    file.row = try #require(world.row(2))
    file.row.flags.insert(.favourite)
    _ = try done { world.library.scan.apply([.reread(file, caption: nil)], completion: $0) }
    #expect(Self.flags(world, 2) == [])
  }

  @Test func `a redundant step keeps the version`() throws {
    let world = try World()
    let permit = try world.app(.allow).authorize(.edit)
    let before = world.row(1)
    _ = try world.perform(
      permit, [.setFavorite([try world.target(permit, 1)], false), .setLocation([try world.target(permit, 1)], nil)])
    #expect(world.row(1) == before)
    _ = try world.perform(permit, [.setCaption([try world.target(permit, 1)], "words")])
    let said = world.row(1)
    #expect(said?.version != before?.version)
    _ = try world.perform(permit, [.setCaption([try world.target(permit, 1)], "words")])
    #expect(world.row(1) == said)
  }

  @Test(arguments: [false, true])
  func `a redundant caption keeps the version, even if only the disk knows it`(_ isOfFile: Bool) throws {
    let world = try World()
    var record = world.photo("a.jpg", hint: "i1")
    record.caption = isOfFile ? "words" : nil
    let number = Int(try done { world.library.scan.apply([.insert(record)], completion: $0) }[0].rawValue)
    let app = try world.app(.allow)
    if !isOfFile {
      let permit = try app.authorize(.edit)
      _ = try world.perform(permit, [.setCaption([try world.target(permit, number)], "words")])
    }
    try world.restart()
    let permit = try world.again(app).authorize(.edit)
    let (said, token) = (world.row(number), try world.changes(permit, since: nil).token)
    world.environment.advance(.seconds(60))
    _ = try world.perform(permit, [.setCaption([try world.target(permit, number)], "words")])
    #expect(try world.row(number) == said && world.changes(permit, since: token).isEmpty)
    world.store.failsToRead = true
    let others: [ChangeStep] = [.setCaption([try world.target(permit, 1)], "others")]
    #expect(code { try world.perform(permit, others) } == .failed)
    world.store.failsToRead = false
    _ = try world.perform(permit, others + [.setCaption([try world.target(permit, number)], "others")])
    #expect(world.row(number)?.version != said?.version && world.caption(of: AssetNumber(UInt32(number))) == "others")
  }

  @Test func `of two simultaneous requests the second is checked against the first`() throws {
    let world = try World()
    let permit = try world.app(.allow).authorize(.edit)
    let target = try world.target(permit, 1)
    world.store.isDeferred = true
    let results = (0..<2).map { _ in Box<Result<ChangeOutcome, BrokerError>>() }
    for result in results {
      world.library.perform([.delete([target])], grant: permit.grant, attenuation: nil, dryRun: false, refusal: { nil })
      {
        result.value = $0
      }
    }
    #expect(results.allSatisfy { $0.value == nil })
    world.store.completeAll()
    #expect(throws: Never.self) { _ = try results[0].value!.get() }
    #expect(throws: BrokerError.identifierNotFound()) { _ = try results[1].value!.get() }
  }

  @Test func `R18 access ended while a request waited ends the request`() throws {
    let world = try World()
    let permit = try world.app(.allow).authorize(.edit)
    world.store.isDeferred = true
    let steps: [ChangeStep] = [.setFavorite([try world.target(permit, 1)], true)]
    var refusal: BrokerError?
    let result = Box<Result<ChangeOutcome, BrokerError>>()
    world.library.scan.apply([.insert(world.photo("a.jpg"))]) { _ in }
    world.library.perform(steps, grant: permit.grant, attenuation: nil, dryRun: false, refusal: { refusal }) {
      result.value = $0
    }
    refusal = .photos(.accessRestricted, "An administrator said no.")
    world.store.completeAll()
    #expect(code { try result.value!.get() } == .photos(.accessRestricted))
    #expect(Self.flags(world, 1) == [])
  }

  @Test func `R46 without albums an app sees none and creates none`() throws {
    let world = try World()
    let permit = try world.app(.select, selecting: [1]).authorize(.edit)
    world.broker.setAlbums(.none, of: permit.grant)
    #expect(code { try world.perform(permit, [.createAlbum(title: "Album")]) } == .photos(.accessUserDenied))
    #expect(world.library.albums.shown(to: permit.grant).isEmpty)
  }

  @Test func `R47 R48 an app sees its own album without hidden members, and no other albums`() throws {
    let world = try World()
    let session = try world.app(.allow)
    let permit = try session.authorize(.edit)
    world.broker.setAlbums(.full, of: permit.grant)
    let targets = try [1, 2, 3].map { try world.target(permit, $0) }
    let album = try world.perform(permit, [.createAlbum(title: "Trip")]).createdAlbums[0]
    let foreign = try world.perform(permit, [.createAlbum(title: "Trip")]).createdAlbums[0]
    _ = try world.perform(permit, [.addToAlbum(AlbumTarget(album), targets + targets)])
    let seals = try world.library.seals[permit.app]
    let own = try seals.open(album)
    #expect(world.library.albums[own]?.members == [1, 2, 3].map { AssetNumber($0) }, "each once")

    _ = try world.set(session, .limited)
    _ = try world.edit(session, add: [2, 4])
    world.broker.setAlbums(
      AlbumAccess(visible: .only([own]), editable: .only([own]), mayCreate: true), of: permit.grant)
    let limited = try session.authorize(.edit)
    let albums = world.library.albums.shown(to: limited.grant)
    #expect(
      albums.map(\.identifier) == [own] && albums.map { world.library.albums.count(of: $0, in: limited.view!) } == [1])
    #expect(throws: BrokerError.identifierNotFound()) {
      try world.perform(limited, [.renameAlbum(AlbumTarget(foreign), title: "Mine")])
    }
    #expect(throws: BrokerError.identifierNotFound()) {
      try world.perform(limited, [.removeFromAlbum(AlbumTarget(album), [targets[0]])])
    }
    let target = AlbumTarget(album)
    _ = try world.perform(
      limited, [.addToAlbum(target, [try world.target(limited, 4)]), .renameAlbum(target, title: "Sea")])
    #expect(world.library.albums[own]?.members == [1, 2, 3, 4].map { AssetNumber($0) })
    #expect(world.library.albums[own]?.title == "Sea")
    _ = try world.perform(limited, [.deleteAlbum(AlbumTarget(album))])
    #expect(throws: BrokerError.identifierNotFound()) {
      try world.perform(limited, [.renameAlbum(AlbumTarget(album), title: "Gone")])
    }
  }
}
