import Broker
import Catalogue
import Limits
import Macaroons
import PhotoModel
import Testing

/// The record keeps the words to which a person agreed.
@Suite struct AgreementTests {
  private static let reason = LocalizedText(
    defaultText: "Shows your photos.", translations: ["de": "Zeigt Ihre Fotos.", "pt-br": "Mostra."])

  private func manifest() -> Manifest {
    var manifest = Manifest.test(addReason: "Saves scans.")
    manifest.usageDescription = Self.reason
    return manifest
  }

  private func grant(_ world: World, _ app: Session, _ level: AccessLevel = .readWrite) throws -> GrantView {
    try #require(
      try world.anna.grants.list(library: world.photos, app: app.app?.identifier).first { $0.record.key.level == level }
    )
  }

  /// An app with an answered prompt that was read in these languages.
  private func answered(
    _ world: World, _ answer: PromptAnswer, _ level: AccessLevel = .readWrite, language: String? = nil
  ) throws -> Session {
    let app = try world.app(manifest())
    app.requestAuthorization(level: level) { _ in }
    let prompt = try #require(world.anna.prompts.views(language: language).first)
    _ = try done {
      world.anna.prompts.answer(
        prompt.prompt.identifier, answer, selection: answer == .select ? world.selection([1]) : nil, language: language,
        completion: $0)
    }
    return app
  }

  @Test(
    arguments: [
      (nil, nil, "Shows your photos."), ("fr", nil, "Shows your photos."), ("de-AT,fr", "de", "Zeigt Ihre Fotos."),
      ("fr, pt-BR", "pt-br", "Mostra."),
    ] as [(String?, String?, String)])
  func `R28 R29 an answer keeps the words as shown`(read: String?, language: String?, reason: String) throws {
    let world = try World()
    let app = try answered(world, .select, language: read)
    let record = try #require(app.app?.record)
    let words = ShownWords(
      identifier: record.manifest.identifier, displayName: record.manifest.displayName, usageDescription: reason,
      language: language,
      systemIdentity: record.systemIdentity, executable: record.executable)
    #expect(world.store.log.last?.words == words)
    #expect(try grant(world, app).agreement == Agreement(time: world.environment.now, user: World.anna, words: words))
    #expect(try grant(world, app).otherWords == nil)
    try world.restart()
    #expect(try world.anna.grants.list(library: world.photos).first?.agreement?.words == words)
  }

  @Test func `R28 a grant shows the words of an answer while it has that answer's level`() throws {
    let world = try World()
    let app = try answered(world, .select)
    let agreement = try #require(try grant(world, app).agreement)
    let key = world.key(app)
    world.environment.advance(.seconds(60))
    _ = try world.edit(app, add: [2])
    _ = try done {
      world.anna.grants.pause(RevocationScope(library: key.library, app: key.app), paused: true, completion: $0)
    }
    _ = try done {
      world.anna.grants.pause(RevocationScope(library: key.library, app: key.app), paused: false, completion: $0)
    }
    let end = GrantSettings(end: .at(world.environment.now.advanced(by: .seconds(3_600))))
    _ = try done { world.anna.grants.set(library: key.library, app: key.app, level: .readWrite, end, completion: $0) }
    _ = try world.set(app, .limited)
    #expect(try grant(world, app).agreement == agreement, "whatever else was decided")
    #expect(world.store.log.count { $0.words != nil } == 1, "none of that answers a question")
    _ = try world.set(app, .authorized)
    #expect(try grant(world, app).agreement == nil, "nobody was asked about that")
    let widened = UInt64(world.store.log.count - 1)
    _ = try done { world.anna.decisions.undo(widened, completion: $0) }
    #expect(try grant(world, app).agreement == agreement, "the answer stands again")
    _ = try world.set(app, .denied)
    #expect(try grant(world, app).agreement == nil)
    let revoked = UInt64(world.store.log.count - 1)
    try world.restart()
    _ = try done { world.anna.decisions.undo(revoked, completion: $0) }
    #expect(try grant(world, app).agreement == agreement)
    // A grant that expired and is given anew is a decision in settings, without an agreement.
    world.environment.advance(.seconds(4_000))
    #expect(try grant(world, app).agreement == nil, "it gives nothing")
    _ = try world.set(app, .limited)
    #expect(try grant(world, app).status == .limited && (try grant(world, app).agreement) == nil)
  }

  @Test func `R28 a denial keeps its words and is no agreement`() throws {
    let world = try World()
    let app = try answered(world, .deny)
    #expect(world.store.log.last?.words?.usageDescription == "Shows your photos.")
    #expect(try grant(world, app).agreement == nil)
    _ = try world.set(app, .authorized)
    #expect(try grant(world, app).agreement == nil)
  }

  @Test func `R2 R28 each level has its own words`() throws {
    let world = try World()
    let app = try answered(world, .allow, .addOnly)
    _ = try world.set(app, .authorized)
    #expect(try grant(world, app, .addOnly).agreement?.words.usageDescription == "Saves scans.")
    #expect(try grant(world, app).agreement == nil)
  }

  @Test func `R53 a selection answer keeps its words, and the level keeps the words of its own`() throws {
    let world = try World()
    let app = try world.nextRun(of: answered(world, .select))
    let agreement = try grant(world, app).agreement
    var changed = manifest()
    changed.usageDescription.defaultText = "Uploads everything."
    _ = try done { app.introduce(changed, completion: $0) }
    _ = try done { app.requestAuthorization(level: .readWrite, completion: $0) }
    world.broker.promptService.didFetch(try app.authorize(.read))
    try world.answer(.change, selecting: [2])
    #expect(
      world.store.log.last?.action == "change" && world.store.log.last?.words?.usageDescription == "Uploads everything."
    )
    #expect(try grant(world, app).agreement == agreement)
  }

  @Test func `R28 an app's changed words are detected in the language that was read`() throws {
    let world = try World()
    let app = try answered(world, .allow, language: "de")
    func say(_ change: (inout Manifest) -> Void) throws -> GrantView {
      var manifest = manifest()
      change(&manifest)
      _ = try done { app.introduce(manifest, completion: $0) }
      return try grant(world, app)
    }
    #expect(try say { $0.usageDescription.defaultText = "Uploads everything." }.otherWords == nil, "nobody read that")
    #expect(try say { $0.usageDescription.translations["fr"] = "Montre." }.otherWords == nil)
    let other = try say { $0.usageDescription.translations["de"] = "Schickt alles fort." }
    #expect(
      other.otherWords?.usageDescription == "Schickt alles fort."
        && other.agreement?.words.usageDescription == "Zeigt Ihre Fotos.")
    let dropped = try say { $0.usageDescription.translations["de"] = nil }
    #expect(dropped.otherWords?.usageDescription == "Shows your photos." && dropped.otherWords?.language == nil)
    #expect(try say { $0.displayName = "Bank" }.otherWords?.displayName == "Bank")
    #expect(try say { _ in }.otherWords == nil, "it says the same again")
    // A later translation does not replace a default that was read.
    let second = try answered(world, .allow)
    var moved = manifest()
    moved.usageDescription = LocalizedText(
      defaultText: "Uploads everything.", translations: ["xx": "Shows your photos."])
    _ = try done { second.introduce(moved, completion: $0) }
    #expect(try grant(world, second).otherWords?.usageDescription == "Uploads everything.")
  }

  @Test func `R28 an answer that the disk refuses leaves nothing`() throws {
    let world = try World()
    let app = try world.app(manifest())
    app.requestAuthorization(level: .readWrite) { _ in }
    let prompt = try #require(world.anna.prompts.views(language: nil).first?.prompt.identifier)
    world.store.refusals = 1
    #expect(throws: BrokerError.self) { try done { world.anna.prompts.answer(prompt, .allow, completion: $0) } }
    #expect(try world.anna.grants.list(library: world.photos).allSatisfy { $0.record.agreement == nil })
  }
}
