import Broker
import Catalogue
import Limits
import Macaroons
import PhotoModel
import Testing

/// Change requests that create assets.
@Suite struct CreatingTests {
  private let world: World

  init() throws { world = try World() }

  private func file(_ name: String, size: Int64 = 1, digest: [UInt8]? = nil) -> AssetRecord {
    var record = world.photo(name)
    record.resources = [
      ResourceRecord(
        role: .original, locator: "added/\(name)", filename: name, contentType: "image/jpeg", size: size, contentVersion: "1",
        identityHint: nil, digest: digest)
    ]
    return record
  }

  private func begin(_ names: [String]) throws -> [Addition.Number] {
    try done { world.library.begin(names.map { ($0, 1, [UInt8](repeating: 7, count: 32)) }, completion: $0) }
  }

  private func perform(
    _ permit: Permit, _ steps: [ChangeStep], _ names: [String], _ additions: [Addition.Number] = []
  ) throws -> ChangeOutcome {
    let (broker, library) = (world.broker, world.library)
    let created = CreatedAssets(
      records: names.map { file($0) }, additions: additions, app: permit.app,
      joining: { broker.joiningGrant(of: permit.app, in: library.record.name) }, newcomers: Newcomers())
    return try done {
      library.perform(
        steps, grant: permit.grant, subset: permit.narrowing?.selection, dryRun: false, created: created, mayProceed: { true },
        completion: $0)
    }
  }

  @Test func `R14 R43 a photo in a new album, with what is said of it, is one commit`() throws {
    let permit = try world.app(.select, selecting: [1]).admit(.edit)
    world.broker.setAlbums(AlbumAccess(visible: .only([]), editable: .only([]), mayCreate: true), of: permit.grant)
    let token = try world.changes(permit, since: nil).token
    let commits = world.store.commits
    let place = GeoPoint(latitudeE7: 1, longitudeE7: 2)
    let outcome = try perform(
      permit,
      [
        .createAlbum(title: "Trip", placeholder: "$trip"),
        .createAsset(
          AssetCreation(placeholder: "$a", favourite: true, creationDate: Timestamp(seconds: 5), location: place, caption: "words")),
        .createAsset(AssetCreation()),
        .addToAlbum(AlbumTarget(placeholder: "$trip"), [AssetTarget(placeholder: "$a"), try world.target(permit, 1)]),
        .moveInAlbum(AlbumTarget(placeholder: "$trip"), [try world.target(permit, 1)], before: AssetTarget(placeholder: "$a")),
      ], ["a.jpg", "b.jpg"])
    #expect(world.store.commits == commits + 1)
    let numbers = world.visible(permit)
    let (a, b) = (numbers[1], numbers[2])
    #expect(numbers == [1, a, b])
    let names = try [a, b].map { try world.sealed(permit, $0) }
    #expect(outcome.createdAssets == names)
    #expect(outcome.placeholders == ["$trip": outcome.createdAlbums[0].description, "$a": names[0].description])
    #expect(world.library.albums.values.map(\.members) == [[1, a].map { AssetNumber(UInt32($0)) }])
    let row = try #require(world.row(a))
    #expect(row.flags == .favourite && row.creationDate == Timestamp(seconds: 5) && row.dateOrigin == .edited && row.location == place)
    #expect(world.caption(of: row.number) == "words")
    #expect(try world.changes(permit, since: token).inserted.map(\.fileName) == ["a.jpg", "b.jpg"])
    let before = world.library.albums
    try world.restart()
    let again = try #require(world.broker.grants(in: world.photos).first { $0.record.key == permit.grant.record.key })
    #expect(world.library.catalogue.numbers(in: again.selection).map { Int($0.rawValue) }.sorted() == [1, a, b])
    #expect(world.library.albums == before && world.library.creators[row.number] == permit.app)
  }

  @Test func `an album that is there already is told to have another member`() throws {
    let permit = try world.app(.allow).admit(.edit)
    world.broker.setAlbums(.full, of: permit.grant)
    let album = try world.perform(permit, [.createAlbum(title: "Trip")]).createdAlbums[0]
    let token = try world.changes(permit, since: nil).token
    _ = try perform(
      permit,
      [.createAsset(AssetCreation(placeholder: "$a")), .addToAlbum(AlbumTarget(album), [AssetTarget(placeholder: "$a")])], ["a.jpg"])
    let event = try world.changes(permit, since: token)
    #expect(event.albumsChanged && event.inserted.map(\.fileName) == ["a.jpg"])
  }

  @Test func `a placeholder is of its own kind, made before and by one step only`() throws {
    let permit = try world.app(.allow).admit(.edit)
    world.broker.setAlbums(.full, of: permit.grant)
    let (asset, album) = (ChangeStep.createAsset(AssetCreation(placeholder: "$a")), ChangeStep.createAlbum(title: "A", placeholder: "$b"))
    let (a, b) = (AssetTarget(placeholder: "$a"), AlbumTarget(placeholder: "$b"))
    let wrong: [[ChangeStep]] = [
      [album, .addToAlbum(b, [a]), asset], [asset, .addToAlbum(b, [a]), album],
      [asset, album, .addToAlbum(b, [AssetTarget(placeholder: "$b")])], [asset, album, .addToAlbum(AlbumTarget(placeholder: "$a"), [a])],
      [asset, album, .addToAlbum(b, [AssetTarget(placeholder: "$c")])], [asset, .createAlbum(title: "B", placeholder: "$a")],
      [asset, .createAlbum(title: "B", placeholder: "$b"), album], [asset, .setFavorite([a], true)], [asset, .delete([a])],
      [asset, .setCaption([a], "words")], [asset, album, .deleteAlbum(b)], [asset, album, .moveInAlbum(b, [a], before: nil)],
      [asset, album, .addToAlbum(b, [a]), .moveInAlbum(b, [a], before: a)],
      [.createAsset(AssetCreation(placeholder: "$a", caption: "a\0b")), album],
    ]
    let (commits, count) = (world.store.commits, world.library.catalogue.count)
    for steps in wrong { #expect(code { try perform(permit, steps, ["a.jpg"]) } == .photos(.changeNotSupported), "\(steps)") }
    #expect(world.store.commits == commits && world.library.catalogue.count == count && world.library.albums.isEmpty)
    _ = try perform(permit, [asset, album, .addToAlbum(b, [a]), .renameAlbum(b, title: "C"), .removeFromAlbum(b, [a])], ["a.jpg"])
    #expect(world.library.albums.values.map(\.title) == ["C"])
    #expect(world.library.albums.values.map(\.members) == [[]])
  }

  @Test func `R11 who may only add creates, and does nothing else`() throws {
    let permit = try world.app(.allow, .addOnly).admit(.add)
    let caption = AssetCreation(favourite: true, caption: "words")
    #expect(try perform(permit, [.createAsset(caption), .createAsset(AssetCreation())], ["a.jpg", "b.jpg"]).createdAssets.count == 2)
    let count = world.library.catalogue.count
    for step in [ChangeStep.createAlbum(title: "Trip"), .setFavorite([try world.target(permit, 1)], true)] {
      #expect(code { try perform(permit, [.createAsset(AssetCreation()), step], ["a.jpg"]) } == .photos(.accessUserDenied))
    }
    #expect(world.library.catalogue.count == count && world.library.albums.isEmpty)
  }

  @Test func `a token that was narrowed to some photos puts no other into an album`() throws {
    let permit = try world.app(.allow).admit(.edit)
    world.broker.setAlbums(.full, of: permit.grant)
    let album = AlbumTarget(try world.perform(permit, [.createAlbum(title: "Trip")]).createdAlbums[0])
    _ = try world.perform(permit, [.addToAlbum(album, [try world.target(permit, 1)])])
    let steps: [ChangeStep] = [.createAsset(AssetCreation(placeholder: "$a")), .addToAlbum(album, [AssetTarget(placeholder: "$a")])]
    let library = world.library
    #expect(
      code {
        _ =
          try done {
            library.perform(
              steps, grant: permit.grant, subset: world.selection([1]), dryRun: true, mayProceed: { true }, completion: $0)
          } as ChangeOutcome
      } == .tokenRefused)
  }

  // MARK: Files on their way

  @Test func `what lies in the storage for a request that is not whole is nobody's asset, also after a crash`() throws {
    let permit = try world.app(.allow).admit(.edit)
    let count = world.library.catalogue.count
    let additions = try begin(["a.jpg", "b.jpg"])
    func look(_ name: String, size: Int64 = 1) throws -> Int {
      _ = try done { world.library.apply([.insert(file(name, size: size))], completion: $0) } as [AssetNumber]
      return world.library.catalogue.count - count
    }
    _ = try done { world.library.place(additions[0], at: "added/a.jpg", completion: $0) } as Void
    #expect(try look("a.jpg") == 0)
    #expect(try look("b.jpg") == 0, "it may be there before the storage says so")
    #expect(world.library.abandonedAdditions.isEmpty)
    try world.restart()
    #expect(try look("a.jpg") == 0)
    #expect(try look("b.jpg") == 0)
    #expect(try look("b.jpg", size: 2) == 1, "another file of that name")
    let left = world.library.abandonedAdditions
    #expect(left.map(\.addition.number) == additions && left.map { $0.files.map(\.filename) } == [["a.jpg"], ["b.jpg"]])
    #expect(left.map(\.addition.digest) == [[UInt8](repeating: 7, count: 32), [UInt8](repeating: 7, count: 32)])
    var released = 0
    world.library.filesReleased = { released += 1 }
    world.library.forget([additions[0]])
    #expect(released == 0, "its own file is not there any more")
    world.library.forget([additions[1]])
    #expect(released == 1, "a file of the owner's may bear the name")
    #expect(try look("b.jpg") == 2)
    _ = permit
  }

  @Test func `a file that is on its way is known by its bytes, whatever the storage calls it`() throws {
    let count = world.library.catalogue.count
    func look(_ name: String, _ digest: UInt8) throws -> Int {
      let found = file(name, digest: [UInt8](repeating: digest, count: 32))
      _ = try done { world.library.apply([.insert(found)], completion: $0) } as [AssetNumber]
      return world.library.catalogue.count - count
    }
    let additions = try begin(["a.jpg"])
    #expect(try look("a-1.jpg", 7) == 0)
    #expect(try look("a.jpg", 8) == 1, "other bytes of that name are the owner's")
    _ = try done { world.library.place(additions[0], at: "added/a-1.jpg", completion: $0) } as Void
    #expect(try look("a-2.jpg", 7) == 2, "the same bytes elsewhere, too")
    #expect(try look("a-1.jpg", 7) == 2)
  }

  @Test func `what a request created is taken up in the commit that makes it an asset, or stays what it was`() throws {
    let permit = try world.app(.allow).admit(.edit)
    let additions = try begin(["a.jpg"])
    world.store.refusals = 1
    let steps = [ChangeStep.createAsset(AssetCreation())]
    let count = world.library.catalogue.count
    #expect(code { try perform(permit, steps, ["a.jpg"], additions) } == .failed)
    #expect(world.library.catalogue.count == count && !world.library.additions.all.isEmpty)
    _ = try perform(permit, steps, ["a.jpg"], additions)
    #expect(world.library.catalogue.count == count + 1 && world.library.additions.all.isEmpty)
    try world.restart()
    #expect(world.library.catalogue.count == count + 1 && world.library.abandonedAdditions.isEmpty)
  }

  @Test func `names of every kind are kept, and what is damaged is passed over`() throws {
    let names = ["a\tb.jpg", "ä\u{301}.jpg", "\u{1f600}.jpg", "a b\\.jpg"]
    let additions = try begin(names)
    _ = try done { world.library.place(additions[1], at: "x/\ty\n", completion: $0) } as Void
    let before = world.library.additions.all
    try world.restart()
    #expect(world.library.additions.all == before && before.map(\.filename) == names)
    world.store.put(SettingName.additions + "photos", "x\n1\t2\tzz\t61\t-\n7\t2\t61\t62\t-\n1\t1\t1\n-")
    try world.restart()
    #expect(world.library.additions.all.map(\.number) == [7])
    #expect(try begin(["c.jpg"]) == [8])
  }

  @Test func `with so many files of requests that were cut off nothing more is created`() throws {
    let left = try begin((0...BrokerLimits.additionsPerLibrary).map { "\($0).jpg" })
    world.library.abandon([left[0]])
    _ = try begin(["running ones are no reason.jpg"])
    world.library.abandon(left)
    #expect(code { try begin(["more.jpg"]) } == .photos(.operationInterrupted))
  }

  @Test func `R43 an edit of the selection on its way does not take from it what is created meanwhile`() throws {
    let app = try world.app(.select, selecting: [1])
    let permit = try app.admit(.edit)
    world.store.isDeferred = true
    let edited = Box<Result<SelectionOutcome, BrokerError>>()
    let created = Box<Result<ChangeOutcome, BrokerError>>()
    let (broker, library) = (world.broker, world.library)
    let assets = CreatedAssets(
      records: [file("a.jpg")], additions: [], app: permit.app,
      joining: { broker.joiningGrant(of: permit.app, in: library.record.name) }, newcomers: Newcomers())
    library.perform(
      [.createAsset(AssetCreation())], grant: permit.grant, subset: nil, dryRun: false, created: assets, mayProceed: { true }
    ) { created.value = $0 }
    world.anna.editSelection(
      library: world.photos, app: permit.app, adding: world.selection([2]), removing: world.selection([1])
    ) { edited.value = $0 }
    world.store.completeAll()
    _ = try (created.value!.get(), edited.value!.get())
    let seen = try world.fetch(app)
    #expect(seen.count == 2 && seen[0] == 2)
    try world.restart()
    let grant = try #require(world.broker.grants(in: world.photos).first { $0.record.key == permit.grant.record.key })
    #expect(world.library.catalogue.numbers(in: grant.selection).map { Int($0.rawValue) }.sorted() == seen)
  }
}
