import Catalogue
import Limits
import Macaroons
import PhotoModel
import Testing

@testable import Broker

@Suite struct AllowanceTests {
  private func set(_ world: World, _ app: Session, photosPerDay: Int64, by admin: AdminSession? = nil) throws {
    var settings = GrantSettings()
    settings.terms.photosPerDay = photosPerDay
    _ = try done {
      (admin ?? world.anna).grants.set(
        library: world.photos, app: app.app!.identifier, level: .readWrite, settings, completion: $0)
    }
  }

  /// Takes so many different photos; false: the app was paused.
  private func take(_ world: World, _ app: Session, _ numbers: Range<UInt32>) throws -> Bool {
    let permit = try app.authorize(.read)
    for number in numbers {
      do { try world.broker.allowances.take(AssetNumber(number), under: permit) } catch {
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
    #expect(try grant(world).allowance == BrokerLimits.photosPerDay && grant(world).isDefaultAllowance)
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
    #expect(try grant(world).allowance == BrokerLimits.photosPerDay)
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
    #expect(try grant(world).allowance == 600)
    #expect(try take(world, app, 0..<150))
    _ = try world.edit(app, remove: Array(1...190))
    #expect(try grant(world).allowance == 600)
    #expect(try take(world, app, 150..<600))
    #expect(try !take(world, app, 600..<601))
  }

  @Test func `R157 full access has no default, and 0 is a choice of no limit`() throws {
    let world = try World()
    let app = try world.app(.allow)
    #expect(try grant(world).allowance == nil && !grant(world).isDefaultAllowance)
    #expect(try take(world, app, 0..<1_000))
    _ = try world.set(app, .limited)
    #expect(try grant(world).allowance == BrokerLimits.photosPerDay)
    try set(world, app, photosPerDay: 0)
    #expect(try grant(world).allowance == nil && !grant(world).isDefaultAllowance)
    #expect(try take(world, app, 0..<1_000))
    #expect(world.store.log.last?.after.hasSuffix("without allowance") ?? false)
    try world.restart()
    #expect(try grant(world).allowance == nil)
  }

  @Test func `R130 an administrator lowers the default, and does not raise it`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    for photos: Int64 in [0, 501, 2_000] {
      #expect(code { try set(world, app, photosPerDay: photos, by: world.root) } == .notPermitted)
    }
    try set(world, app, photosPerDay: 300, by: world.root)
    #expect(try grant(world).allowance == 300)
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
}
