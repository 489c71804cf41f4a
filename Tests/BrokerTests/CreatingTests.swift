import Broker
import Catalogue
import Limits
import Macaroons
import PhotoModel
import Testing

@Suite struct CreatingTests {
  private let world: World

  init() throws { world = try World() }

  private func file(_ name: String, size: Int64 = 1, digest: [UInt8]? = nil, identity: String? = nil) -> AssetRecord {
    var record = world.photo(name)
    record.resources = [
      ResourceRecord(
        role: .original, locator: "added/\(name)", filename: name, contentType: "image/jpeg", size: size,
        contentVersion: "1",
        identityHint: identity, digest: digest)
    ]
    return record
  }

  private func begin(_ count: Int, by app: AppIdentifier = AppIdentifier(high: 1, low: 1)) throws -> [Addition] {
    let files = [(size: Int64, digest: [UInt8])](repeating: (1, [UInt8](repeating: 7, count: 32)), count: count)
    return try done { world.library.additions.begin(files, by: app, completion: $0) }
  }

  private func perform(
    _ permit: Permit, _ steps: [ChangeStep], _ names: [String], _ additions: [Addition.Number] = []
  ) throws -> ChangeOutcome {
    let (broker, library) = (world.broker, world.library)
    let created = CreatedAssets(
      records: names.map { file($0) }, additions: additions, app: permit.app,
      joining: { broker.joiningGrant(of: permit.app, in: library.record.name) }, pendingImports: PendingImports())
    return try done {
      library.perform(
        steps, grant: permit.grant, attenuation: permit.attenuation, dryRun: false, created: created, refusal: { nil },
        completion: $0)
    }
  }

  @Test func `R43 R142 a file added to the storage during a scan is known as such`() throws {
    let permit = try world.app(.allow).authorize(.edit)
    _ = try world.create(permit, file("before.jpg"))
    #expect(world.library.assets.placed == nil)
    world.library.scan.begin()
    #expect(world.library.assets.placed == [])
    let added = try world.create(permit, file("added.jpg"))
    #expect(world.library.assets.placed == [added])
    _ = try world.perform(permit, [.delete([try world.target(permit, 1)])])
    #expect(world.library.assets.placed == [added])
    let count = try done { world.library.trash.restore([1, 2].map { AssetNumber($0) }, completion: $0) }
    #expect(count == 1 && world.library.assets.placed == [added, AssetNumber(1)])
    world.library.scan.begin()
    #expect(world.library.assets.placed == [])
    world.library.scan.end()
    #expect(world.library.assets.placed == nil)
  }

  @Test func `R14 R43 a photo in a new album with its metadata is one commit`() throws {
    let permit = try world.app(.select, selecting: [1]).authorize(.edit)
    world.broker.setAlbums(AlbumAccess(visible: .only([]), editable: .only([]), mayCreate: true), of: permit.grant)
    let token = try world.changes(permit, since: nil).token
    let commits = world.store.commits
    let place = GeoPoint(latitudeE7: 1, longitudeE7: 2)
    let outcome = try perform(
      permit,
      [
        .createAlbum(title: "Trip", placeholder: "$trip"),
        .createAsset(
          AssetCreation(
            placeholder: "$a", favourite: true, creationDate: Timestamp(seconds: 5), location: place, caption: "words")),
        .createAsset(AssetCreation()),
        .addToAlbum(AlbumTarget(placeholder: "$trip"), [AssetTarget(placeholder: "$a"), try world.target(permit, 1)]),
        .moveInAlbum(
          AlbumTarget(placeholder: "$trip"), [try world.target(permit, 1)], before: AssetTarget(placeholder: "$a")),
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
    #expect(
      row.flags == .favourite && row.creationDate == Timestamp(seconds: 5) && row.dateOrigin == .edited
        && row.location == place)
    #expect(world.caption(of: row.number) == "words")
    #expect(try world.changes(permit, since: token).inserted.map(\.fileName) == ["a.jpg", "b.jpg"])
    let before = world.library.albums.records
    try world.restart()
    let again = try #require(world.broker.grants(in: world.photos).first { $0.record.key == permit.grant.record.key })
    #expect(world.library.catalogue.numbers(in: again.selection).map { Int($0.rawValue) }.sorted() == [1, a, b])
    #expect(world.library.albums.records == before && world.library.assets.creators[row.number] == permit.app)
  }

  @Test func `an existing album is reported to have another member`() throws {
    let permit = try world.app(.allow).authorize(.edit)
    world.broker.setAlbums(.full, of: permit.grant)
    let album = try world.perform(permit, [.createAlbum(title: "Trip")]).createdAlbums[0]
    let token = try world.changes(permit, since: nil).token
    _ = try perform(
      permit,
      [
        .createAsset(AssetCreation(placeholder: "$a")),
        .addToAlbum(AlbumTarget(album), [AssetTarget(placeholder: "$a")]),
      ], ["a.jpg"])
    let event = try world.changes(permit, since: token)
    #expect(event.albumsChanged && event.inserted.map(\.fileName) == ["a.jpg"])
  }

  @Test func `a placeholder names one earlier step of its kind`() throws {
    let permit = try world.app(.allow).authorize(.edit)
    world.broker.setAlbums(.full, of: permit.grant)
    let (asset, album) = (
      ChangeStep.createAsset(AssetCreation(placeholder: "$a")), ChangeStep.createAlbum(title: "A", placeholder: "$b")
    )
    let (a, b) = (AssetTarget(placeholder: "$a"), AlbumTarget(placeholder: "$b"))
    let wrong: [[ChangeStep]] = [
      [album, .addToAlbum(b, [a]), asset], [asset, .addToAlbum(b, [a]), album],
      [asset, album, .addToAlbum(b, [AssetTarget(placeholder: "$b")])],
      [asset, album, .addToAlbum(AlbumTarget(placeholder: "$a"), [a])],
      [asset, album, .addToAlbum(b, [AssetTarget(placeholder: "$c")])],
      [asset, .createAlbum(title: "B", placeholder: "$a")],
      [asset, .createAlbum(title: "B", placeholder: "$b"), album], [asset, .setFavorite([a], true)],
      [asset, .delete([a])],
      [asset, .setCaption([a], "words")], [asset, album, .deleteAlbum(b)],
      [asset, album, .moveInAlbum(b, [a], before: nil)],
      [asset, album, .addToAlbum(b, [a]), .moveInAlbum(b, [a], before: a)],
      [.createAsset(AssetCreation(placeholder: "$a", caption: "a\0b")), album],
    ]
    let (commits, count) = (world.store.commits, world.library.catalogue.count)
    for steps in wrong {
      #expect(code { try perform(permit, steps, ["a.jpg"]) } == .photos(.changeNotSupported), "\(steps)")
    }
    #expect(world.store.commits == commits && world.library.catalogue.count == count && world.library.albums.isEmpty)
    _ = try perform(
      permit, [asset, album, .addToAlbum(b, [a]), .renameAlbum(b, title: "C"), .removeFromAlbum(b, [a])], ["a.jpg"])
    #expect(world.library.albums.values.map(\.title) == ["C"])
    #expect(world.library.albums.values.map(\.members) == [[]])
  }

  @Test func `R11 an add-only app creates and does nothing else`() throws {
    let permit = try world.app(.allow, .addOnly).authorize(.add)
    let caption = AssetCreation(favourite: true, caption: "words")
    #expect(
      try perform(permit, [.createAsset(caption), .createAsset(AssetCreation())], ["a.jpg", "b.jpg"]).createdAssets
        .count == 2)
    let count = world.library.catalogue.count
    for step in [ChangeStep.createAlbum(title: "Trip"), .setFavorite([try world.target(permit, 1)], true)] {
      #expect(
        code { try perform(permit, [.createAsset(AssetCreation()), step], ["a.jpg"]) } == .photos(.accessUserDenied))
    }
    #expect(world.library.catalogue.count == count && world.library.albums.isEmpty)
  }

  @Test func `an attenuated token puts no other photo into an album`() throws {
    let permit = try world.app(.allow).authorize(.edit)
    world.broker.setAlbums(.full, of: permit.grant)
    let album = AlbumTarget(try world.perform(permit, [.createAlbum(title: "Trip")]).createdAlbums[0])
    _ = try world.perform(permit, [.addToAlbum(album, [try world.target(permit, 1)])])
    let steps: [ChangeStep] = [
      .createAsset(AssetCreation(placeholder: "$a")), .addToAlbum(album, [AssetTarget(placeholder: "$a")]),
    ]
    let library = world.library
    let attenuation = try library.attenuation(to: [world.sealed(permit, 1)], for: permit.app)
    #expect(
      code {
        _ =
          try done {
            library.perform(
              steps, grant: permit.grant, attenuation: attenuation, dryRun: true, refusal: { nil }, completion: $0)
          } as ChangeOutcome
      } == .tokenRefused)
  }

  // MARK: Pending files

  private func look(_ path: String, size: Int64 = 1, digest: UInt8? = nil, identity: String? = nil) throws -> Bool {
    let before = world.library.catalogue.count
    let found = file(path, size: size, digest: digest.map { [UInt8](repeating: $0, count: 32) }, identity: identity)
    _ = try done { world.library.scan.apply([.insert(found)], completion: $0) } as [AssetNumber]
    return world.library.catalogue.count > before
  }

  private func place(_ addition: Addition, _ path: String) throws {
    let place = Addition.Place(locator: "added/\(path)", contentVersion: "1")
    _ = try done { world.library.additions.place(addition.number, at: place, completion: $0) } as Void
  }

  @Test func `R14 an unfinished request's files are nobody's assets, even after a crash`()
    throws
  {
    let additions = try begin(2)
    let folder = additions[0].folder
    #expect(additions[1].folder == folder && folder.utf8.count == 16)
    try place(additions[0], "elsewhere/a.jpg")
    #expect(try !look("elsewhere/a.jpg"), "where the storage put it")
    #expect(try !look("\(folder)/b.jpg"), "it may be there before the storage says so")
    #expect(try !look("\(folder)/1/b-1.jpg"), "under whatever name the storage gave it")
    #expect(
      try !look("\(folder)/c.jpg", digest: 7) && look("\(folder)/d.jpg", digest: 8),
      "by its bytes, where they were read")
    #expect(world.library.additions.abandoned.isEmpty)
    try world.restart()
    #expect(try !look("elsewhere/a.jpg"))
    #expect(try !look("\(folder)/b.jpg"))
    #expect(try look("\(folder)/b.jpg", size: 2), "another file that somebody put there")
    let left = world.library.additions.abandoned
    #expect(left.map(\.addition.number) == additions.map(\.number))
    #expect(left.map { $0.files.map(\.locator) } == [["added/elsewhere/a.jpg"], ["added/\(folder)/b.jpg"]])
    #expect(left.map(\.addition.digest) == [[UInt8](repeating: 7, count: 32), [UInt8](repeating: 7, count: 32)])
    var released = 0
    world.delegate.onFilesReleased = { released += 1 }
    world.library.additions.forget([additions[0].number])
    #expect(released == 0, "its own file is not there any more")
    world.library.additions.forget([additions[1].number])
    #expect(released == 1, "a file of the owner's may lie in the folder")
    #expect(try look("\(folder)/b.jpg"))
  }

  @Test func `R142 a file is recognized as the request's by its file key, wherever it lies, even after a crash`()
    throws
  {
    let additions = try begin(2)
    for (addition, identity) in zip(additions, ["one", "t\two"]) {
      _ = try done { world.library.additions.identify(addition.number, by: identity, completion: $0) } as Void
    }
    #expect(try !look("a.jpg", identity: "one") && !look("elsewhere/b.jpg", identity: "t\two"))
    #expect(
      try look("c.jpg", identity: "three") && look("d.jpg") && look("\(additions[0].folder)/e.jpg", identity: "four"),
      "the owner's")
    #expect(try look("f.jpg", size: 2, identity: "one"))
    let commits = world.store.commits
    let place = Addition.Place(locator: "added/a.jpg", contentVersion: "1")
    _ =
      try done { world.library.additions.place(additions[0].number, at: place, identity: "one", completion: $0) }
      as Void
    #expect(world.store.commits == commits, "its place says nothing more")
    try world.restart()
    #expect(
      try !look("a.jpg", identity: "one") && !look("elsewhere/b.jpg", identity: "t\two")
        && look("g.jpg", identity: "three"))
    let left = world.library.additions.abandoned
    #expect(left.map(\.addition.identity) == ["one", "t\two"])
    #expect(left.map { $0.files.map(\.locator) } == [["added/a.jpg"], ["added/elsewhere/b.jpg"]])
  }

  @Test func `R142 an owner's file stays the owner's despite equal name, size and bytes`() throws {
    let addition = try begin(1)[0]
    for name in ["a.jpg", "x\(addition.folder)/a.jpg", "\(addition.folder)", "\(addition.folder)x/a.jpg"] {
      #expect(try look(name), "\(name)")
    }
    world.library.additions.abandon([addition.number])
    #expect(try look("b.jpg"))
    #expect(world.library.additions.abandoned.map(\.files.count) == [0])
    try place(addition, "a.jpg")
    #expect(try look("\(addition.folder)/c.jpg"), "the storage put it elsewhere")
  }

  @Test func `R142 an unremovable file becomes the owner's`() throws {
    let additions = try begin(2)
    try place(additions[0], "a.jpg")
    #expect(try !look("a.jpg"))
    #expect(try !look("\(additions[0].folder)/b.jpg"))
    world.library.additions.abandon(additions.map(\.number))
    var released = 0
    world.delegate.onFilesReleased = { released += 1 }
    world.library.additions.release([additions[0].number])
    #expect(released > 0, "it is to be looked at again")
    #expect(try look("a.jpg"))
    #expect(try !look("\(additions[0].folder)/b.jpg"))
    try world.restart()
    #expect(world.library.additions.abandoned.map(\.addition.number) == [additions[1].number])
  }

  @Test func `a created file is taken up in the commit that makes it an asset, or stays as it was`() throws {
    let permit = try world.app(.allow).authorize(.edit)
    let additions = try begin(1).map(\.number)
    world.store.refusals = 1
    let steps = [ChangeStep.createAsset(AssetCreation())]
    let count = world.library.catalogue.count
    #expect(code { try perform(permit, steps, ["a.jpg"], additions) } == .failed)
    #expect(world.library.catalogue.count == count && !world.library.additions.all.isEmpty)
    _ = try perform(permit, steps, ["a.jpg"], additions)
    #expect(world.library.catalogue.count == count + 1 && world.library.additions.all.isEmpty)
    try world.restart()
    #expect(world.library.catalogue.count == count + 1 && world.library.additions.abandoned.isEmpty)
  }

  @Test func `places of every kind are stored, and damaged ones are skipped`() throws {
    let places = ["a\tb.jpg", "ä\u{301}.jpg", "\u{1f600}.jpg", "x/\ty\n", "-", ""]
    for (addition, place) in zip(try begin(places.count), places) { try self.place(addition, place) }
    _ =
      try done { world.library.additions.identify(world.library.additions.all[1].number, by: "-", completion: $0) }
      as Void
    let before = world.library.additions.all
    try world.restart()
    #expect(world.library.additions.all == before && before.map { $0.place?.locator } == places.map { "added/\($0)" })
    let app = AppIdentifier(high: 1, low: 1).description
    let rest = [
      "x", "1\t\(app)\t0123456789abcdef\t1\tzz\t-\t-\t-", "7\t\(app)\t0123456789abcdef\t2\t61\t-\t-\t-", "1\t1\t1", "-",
    ]
    world.store.put(
      SettingName.additions + "photos",
      (rest + [
        "2\tx\t0123456789abcdef\t2\t61\t-\t-\t-", "3\t\(app)\tshort\t2\t61\t-\t-\t-",
        "4\t\(app)\t0123456789abcdef\t2\t61\t61\t-\t-",
      ])
      .joined(separator: "\n"))
    try world.restart()
    #expect(world.library.additions.all.map(\.number) == [7])
    #expect(try begin(1).map(\.number) == [8])
  }

  @Test func `too many files of interrupted requests stop an app's creations, and not other apps'`() throws {
    let left = try begin(BrokerLimits.additionsPerApp + 1).map(\.number)
    world.library.additions.abandon([left[0]])
    _ = try begin(1)
    world.library.additions.abandon(left)
    #expect(code { try begin(1) } == .photos(.operationInterrupted))
    #expect(try begin(1, by: AppIdentifier(high: 1, low: 2)).count == 1)
  }

  @Test func `R43 a pending selection edit does not remove newly created photos`() throws {
    let app = try world.app(.select, selecting: [1])
    let permit = try app.authorize(.edit)
    world.store.isDeferred = true
    let edited = Box<Result<SelectionOutcome, BrokerError>>()
    let created = Box<Result<ChangeOutcome, BrokerError>>()
    let (broker, library) = (world.broker, world.library)
    let assets = CreatedAssets(
      records: [file("a.jpg")], additions: [], app: permit.app,
      joining: { broker.joiningGrant(of: permit.app, in: library.record.name) }, pendingImports: PendingImports())
    library.perform(
      [.createAsset(AssetCreation())], grant: permit.grant, attenuation: nil, dryRun: false, created: assets,
      refusal: { nil }
    ) { created.value = $0 }
    world.anna.selections.edit(
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
  @Test(arguments: [false, true])
  func `R43 a photo created during the first decision's write joins its selection`(
    _ isCreatedFirst: Bool
  ) throws {
    let app = try world.app(.allow, .addOnly)
    let permit = try app.authorize(.add)
    app.requestAuthorization(level: .readWrite) { _ in }
    let prompt = try #require(world.anna.prompts.views(language: nil).first)
    world.store.isDeferred = true
    let created = Box<Result<ChangeOutcome, BrokerError>>()
    let answered = Box<Bool>()
    let (broker, library) = (world.broker, world.library)
    func create() {
      let assets = CreatedAssets(
        records: [file("a.jpg")], additions: [], app: permit.app,
        joining: { broker.joiningGrant(of: permit.app, in: library.record.name) }, pendingImports: PendingImports())
      library.perform(
        [.createAsset(AssetCreation())], grant: permit.grant, attenuation: nil, dryRun: false, created: assets,
        refusal: { nil }
      ) { created.value = $0 }
    }
    if isCreatedFirst { create() }
    world.anna.prompts.answer(prompt.prompt.identifier, .select, selection: world.selection([1])) { _ in
      answered.value = true
    }
    if !isCreatedFirst { create() }
    world.store.completeAll()
    _ = try created.value!.get()
    #expect(answered.value == true)
    world.store.isDeferred = false
    let seen = try world.fetch(app)
    #expect(seen.count == 2 && seen[0] == 1)
    try world.restart()
    let grant = try #require(world.broker.grants(in: world.photos).first { $0.record.key == world.key(app) })
    #expect(world.library.catalogue.numbers(in: grant.selection).map { Int($0.rawValue) }.sorted() == seen)
  }

  @Test func `a photo created during a first decision forgotten at once leaves no selection on disk`()
    throws
  {
    let app = try world.app(.allow, .addOnly)
    let permit = try app.authorize(.add)
    app.requestAuthorization(level: .readWrite) { _ in }
    let prompt = try #require(world.anna.prompts.views(language: nil).first)
    world.store.isDeferred = true
    let (broker, library) = (world.broker, world.library)
    let created = Box<Result<ChangeOutcome, BrokerError>>()
    let forgotten = Box<Bool>()
    let assets = CreatedAssets(
      records: [file("a.jpg")], additions: [], app: permit.app,
      joining: { broker.joiningGrant(of: permit.app, in: library.record.name) }, pendingImports: PendingImports())
    library.perform(
      [.createAsset(AssetCreation())], grant: permit.grant, attenuation: nil, dryRun: false, created: assets,
      refusal: { nil }
    ) { created.value = $0 }
    world.anna.prompts.answer(prompt.prompt.identifier, .select, selection: world.selection([1])) { _ in }
    world.anna.grants.set(
      library: world.photos, app: permit.app, level: .readWrite, GrantSettings(status: .notDetermined)
    ) { _ in forgotten.value = true }
    // Keeps the library busy until the decision is forgotten.
    library.marks.set(world.selection([2]), favourite: true, hidden: nil, neverShare: nil) { _ in }
    world.store.completeAll()
    _ = try created.value!.get()
    #expect(forgotten.value == true && library.catalogue.count(of: library.assets.created(by: [permit.app])) == 1)
    #expect(!world.store.contents.selections.keys.contains { $0 == world.key(app) })
  }
}
