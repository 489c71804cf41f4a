import Catalogue
import Limits
import Macaroons
import PhotoModel
import Testing

@testable import Broker

@Suite struct AllowanceTests {
  private func set(
    _ world: World, _ app: Session, _ limit: Allowance.Limit, _ amount: Int64,
    by admin: AdminSession? = nil
  ) throws {
    var settings = GrantSettings()
    settings.terms.allowance[limit] = amount
    _ = try done {
      (admin ?? world.anna).grants.set(
        library: world.photos, app: app.app!.identifier, level: .readWrite, settings, completion: $0)
    }
  }

  /// Takes so many different photos of this size; false: the app was paused.
  private func take(_ world: World, _ app: Session, _ numbers: Range<UInt32>, bytes: Int64 = 1) throws -> Bool {
    let permit = try app.authorize(.read)
    for number in numbers {
      do { try world.broker.allowances.take(AssetNumber(number), bytes, under: permit) } catch {
        #expect(error.code == .photos(.accessUserDenied))
        return false
      }
    }
    return true
  }

  private func grant(_ world: World) throws -> GrantView { try #require(world.anna.grants.list().first) }

  private func kinds(_ world: World) -> [PromptRecord.Kind] {
    world.anna.prompts.views(language: nil).map(\.prompt.kind)
  }

  private func addPhotos(_ world: World, _ count: Int) throws {
    let rows = (0..<count).map { index in
      AssetMutation.insert(
        AssetRecord(
          row: AssetRow(
            number: AssetNumber(0), identifier: AssetIdentifier(high: 0, low: 0),
            creationDate: Timestamp(seconds: 1_700_000_000 + Int64(index)), addedDate: world.environment.now,
            modificationDate: world.environment.now, fileName: "MORE_\(index).jpg"),
          caption: nil, camera: nil, livePhotoIdentifier: nil, burstIdentifier: nil, creator: nil, resources: []))
    }
    _ = try done { world.library.scan.apply(rows, completion: $0) }
  }

  @Test func `R157 a limited app beyond its default is paused, and its owner is asked`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    #expect(try grant(world).allowance[.photosPerDay] == BrokerLimits.photosPerDay && grant(world).isDefaultAllowance)
    #expect(try take(world, app, 0..<500) && take(world, app, 0..<500))
    #expect(kinds(world).isEmpty)
    #expect(try !take(world, app, 500..<501))
    #expect(try grant(world).record.isPaused && kinds(world) == [.allowance])
    #expect(world.bert.prompts.views(language: nil).isEmpty)
    #expect(code { try world.answer(.allow) } == .refused)
    try world.answer(.resume)
    #expect(try !grant(world).record.isPaused && kinds(world).isEmpty)
    #expect(try take(world, app, 500..<1_000))
    #expect(try !take(world, app, 0..<1))
    try world.answer(.pause)
    #expect(try grant(world).record.isPaused && kinds(world).isEmpty)
    #expect(world.store.log.last?.action == "pause" && world.store.log.last?.source == .prompt)
  }

  @Test func `R157 the question survives a restart, and ends with the pause or with the access`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    #expect(try !take(world, app, 0..<501))
    try world.restart()
    #expect(kinds(world) == [.allowance])
    _ = try done {
      world.anna.grants.pause(RevocationScope(library: world.photos), paused: false, completion: $0)
    }
    #expect(kinds(world).isEmpty)
    let other = try world.app(.select, selecting: [1])
    #expect(try !take(world, other, 0..<501) && kinds(world) == [.allowance])
    _ = try world.set(other, .denied)
    #expect(kinds(world).isEmpty)
  }

  @Test func `R157 an app's new words leave the question as it is`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    #expect(try !take(world, app, 0..<501))
    func asked() -> [AppIdentifier] { world.anna.prompts.views(language: nil).map(\.prompt.identifier) }
    let before = asked()
    for reason in ["Other words.", nil] {
      var manifest = try #require(app.app).record.manifest
      manifest = Manifest.test(manifest.identifier, reason: reason)
      _ = try done { app.introduce(manifest, completion: $0) }
      #expect(before.count == 1 && asked() == before)
    }
    try world.answer(.resume)
    #expect(try !grant(world).record.isPaused)
  }

  @Test func `R157 an app's own additions count neither for it nor against it`() throws {
    let world = try World()
    try addPhotos(world, 600)
    let app = try world.app(.select, selecting: Array(1...600))
    for number in UInt32(11)...600 { world.library.assets.creators[AssetNumber(number)] = app.app!.identifier }
    #expect(try grant(world).allowance[.photosPerDay] == BrokerLimits.photosPerDay)
    #expect(try take(world, app, 11..<601) && take(world, app, 1_000..<1_500))
    #expect(try !take(world, app, 1..<2))
  }

  @Test func `R157 the question replaces one about the selection, which the app cannot see now`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    let page = Box<Result<(Permit, [AssetNumber]), BrokerError>>()
    app.presentLimitedLibraryPicker { page.value = $0 }
    #expect(kinds(world) == [.selection])
    #expect(try !take(world, app, 0..<501) && kinds(world) == [.allowance])
    try world.answer(.resume)
    #expect(try #require(page.value).get().1.isEmpty)
  }

  @Test func `R157 a backup of a selection stays below the default, also after the selection shrinks`() throws {
    let world = try World()
    try addPhotos(world, 200)
    let app = try world.app(.select, selecting: Array(1...200))
    #expect(try grant(world).allowance[.photosPerDay] == 600)
    #expect(try take(world, app, 0..<150))
    _ = try world.edit(app, remove: Array(1...190))
    #expect(try grant(world).allowance[.photosPerDay] == 600)
    #expect(try take(world, app, 150..<600))
    #expect(try !take(world, app, 600..<601))
  }

  @Test func `R157 full access has no default, and 0 is a choice of no limit`() throws {
    let world = try World()
    let app = try world.app(.allow)
    #expect(try grant(world).allowance[.photosPerDay] == nil && !grant(world).isDefaultAllowance)
    #expect(try take(world, app, 0..<1_000))
    _ = try world.set(app, .limited)
    #expect(try grant(world).allowance[.photosPerDay] == BrokerLimits.photosPerDay)
    try set(world, app, .photosPerDay, 0)
    #expect(try grant(world).allowance[.photosPerDay] == nil && !grant(world).isDefaultAllowance)
    #expect(try take(world, app, 0..<1_000))
    #expect(world.store.log.last?.after.hasSuffix("without allowance") ?? false)
    try world.restart()
    #expect(try grant(world).allowance[.photosPerDay] == nil)
  }

  @Test func `R130 an administrator lowers the default, and does not raise it`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    for photos: Int64 in [0, 501, 2_000] {
      #expect(code { try set(world, app, .photosPerDay, photos, by: world.root) } == .notPermitted)
    }
    try set(world, app, .photosPerDay, 300, by: world.root)
    #expect(try grant(world).allowance[.photosPerDay] == 300)
  }

  @Test func `R157 another term of an administrator leaves the default as it is`() throws {
    let world = try World()
    let app = try world.app(.allow)
    var settings = GrantSettings()
    settings.terms.captions = false
    _ = try done {
      world.root.grants.set(
        library: world.photos, app: app.app!.identifier, level: .readWrite, settings, completion: $0)
    }
    _ = try world.set(app, .limited)
    #expect(try grant(world).isDefaultAllowance)
  }

  @Test(arguments: Allowance.Limit.allCases)
  func `R157 each limit pauses the app, and its owner is told which`(limit: Allowance.Limit) throws {
    let world = try World()
    let app = try world.app(.allow)
    try set(world, app, limit, limit.countsBytes ? 30 : 3)
    #expect(try grant(world).allowance[limit] == (limit.countsBytes ? 30 : 3) && !grant(world).isDefaultAllowance)
    #expect(try take(world, app, 0..<3, bytes: 10))
    #expect(try take(world, app, 0..<3, bytes: 0), "the same photos again, without bytes")
    #expect(try !take(world, app, 3..<4, bytes: 1))
    let prompt = try #require(world.anna.prompts.views(language: nil).first?.prompt)
    #expect(prompt.kind == .allowance && prompt.exceeded == limit)
    #expect(world.store.log.last?.origin == "allowance of \(limit.words)")
    try world.answer(.resume)
    #expect(try take(world, app, 4..<7, bytes: 10))
    world.environment.advance(limit.isHourly ? .seconds(3_600) : .seconds(86_400))
    #expect(try take(world, app, 7..<10, bytes: 10), "the next window")
    world.environment.advance(limit.isHourly ? .seconds(1) : .seconds(3_600))
    #expect(try !take(world, app, 10..<11, bytes: 1))
    try world.restart()
    #expect(world.anna.prompts.views(language: nil).map(\.prompt.exceeded) == [limit])
  }

  @Test func `R157 a limit is a restriction that an administrator may add, and no undo lifts by itself`() throws {
    let world = try World()
    let app = try world.app(.allow)
    try set(world, app, .bytesPerHour, 100, by: world.root)
    #expect(code { try set(world, app, .bytesPerHour, 0, by: world.root) } == .notPermitted)
    #expect(code { try set(world, app, .bytesPerHour, 101, by: world.root) } == .notPermitted)
    try set(world, app, .bytesPerHour, 99, by: world.root)
    try set(world, app, .photosPerHour, 7, by: world.root)
    let before = try grant(world)
    #expect(before.allowance[.bytesPerHour] == 99 && before.allowance[.photosPerHour] == 7)
    #expect(before.allowance[.bytesPerDay] == nil && before.allowance[.photosPerDay] == nil)
    try set(world, app, .bytesPerHour, 0)
    #expect(try grant(world).allowance[.bytesPerHour] == nil)
    try world.restart()
    #expect(try grant(world).allowance[.photosPerHour] == 7)
  }

  @Test func `R157 hostile sizes neither trap nor pass`() throws {
    let world = try World()
    let app = try world.app(.allow)
    try set(world, app, .photosPerDay, 100)
    #expect(try take(world, app, 0..<3, bytes: .max) && take(world, app, 0..<3, bytes: .min))
    try set(world, app, .bytesPerDay, 1_000_000_000_000_000)
    #expect(try !take(world, app, 0..<1, bytes: 1))
  }

  /// The ledger's entries of these photos, a second apart.
  private func deliveries(_ world: World, _ app: Session, _ numbers: Range<UInt32>, of accessor: Accessor? = nil) throws
    -> [LedgerRecord]
  {
    let record = try grant(world).record
    return try numbers.map { number in
      LedgerRecord(
        time: world.environment.now.advanced(by: .seconds(number)), app: record.key.app,
        accessor: accessor ?? record.accessor,
        asset: try #require(world.library.catalogue.row(of: AssetNumber(number))).identifier, rendition: "original",
        bytes: 10)
    }
  }

  /// Restarts the broker with these entries in the ledger; the app connects again.
  private func restart(_ world: World, _ app: Session, counting deliveries: [LedgerRecord]) throws -> Session {
    let own = try done { app.introduce(app.app!.record.manifest, completion: $0) }.token
    var contents = world.store.contents
    let index = try #require(contents.libraries.firstIndex { $0.record.name == world.photos })
    contents.libraries[index].deliveries = deliveries
    world.store.rewind(to: contents)
    try world.restart()
    let next = world.connect()
    _ = try next.attach(own)
    _ = try done { next.requestAuthorization(level: .readWrite, completion: $0) }
    return next
  }

  @Test func `R157 a restart counts the deliveries of the day again, and no pick`() throws {
    let world = try World()
    try addPhotos(world, 20)
    let app = try world.app(.allow)
    try set(world, app, .photosPerDay, 5)
    try set(world, app, .bytesPerDay, 70)
    let picked = try deliveries(world, app, 10..<20, of: Accessor(high: 1, low: 1))
    let back = try restart(world, app, counting: deliveries(world, app, 1..<4) + picked)
    #expect(try take(world, back, 1..<6, bytes: 8) && !take(world, back, 6..<7, bytes: 0))
    try world.answer(.resume)
    let again = try restart(world, back, counting: deliveries(world, back, 1..<8))
    #expect(try !take(world, again, 1..<2, bytes: 1), "70 bytes")
  }

  @Test func `R157 a restart counts each delivery in its own hour and day`() throws {
    let world = try World()
    let app = try world.app(.allow)
    try set(world, app, .photosPerDay, 3)
    try set(world, app, .photosPerHour, 2)
    let before = try deliveries(world, app, 3..<6)
    world.environment.advance(.seconds(86_400))
    let hourAgo = try deliveries(world, app, 6..<8)
    world.environment.advance(.seconds(3_600))
    world.broker.clock.note()
    let back = try restart(world, app, counting: before + hourAgo)
    #expect(try take(world, back, 6..<8), "two of the day, none of the hour")
    #expect(try !take(world, back, 8..<9))
  }

  @Test func `R157 a clock that is set back gives nothing again, also over a restart`() throws {
    let world = try World()
    let app = try world.app(.allow)
    try set(world, app, .photosPerDay, 5)
    #expect(try take(world, app, 1..<5))
    world.broker.clock.note()
    let before = try deliveries(world, app, 1..<5)
    world.environment.now = world.environment.now.advanced(by: .seconds(-200_000))
    #expect(try take(world, app, 1..<6))
    let back = try restart(world, app, counting: before + deliveries(world, app, 5..<6))
    #expect(try take(world, back, 1..<6) && !take(world, back, 6..<7))
    let prompt = try #require(world.anna.prompts.views(language: nil).first?.prompt)
    #expect(prompt.exceeded == .photosPerDay)
  }
}
