import Broker
import Catalogue
import Limits
import Macaroons
import PhotoModel
import Testing

/// Apps that change their name or reason while a prompt shows it (R28).
@Suite struct PromptWordsTests {
  @Test(arguments: ["name", "reason", "translation"])
  func `R28 an answer applies only to the displayed words`(changed: String) throws {
    let world = try World()
    let app = try world.app()
    let told = Box<Result<Authorization, BrokerError>>()
    app.requestAuthorization(level: .readWrite) { told.value = $0 }
    let read = try #require(world.anna.prompts.views(language: nil).first)
    let decisions = world.store.log.count
    var manifest = Manifest.test()
    switch changed {
    case "name": manifest.displayName = "Bank"
    case "reason": manifest.usageDescription.defaultText = "Uploads everything."
    default: manifest.usageDescription.translations["de"] = "Schickt alles fort."
    }
    _ = try done { app.introduce(manifest, completion: $0) }
    let shown = try #require(world.anna.prompts.views(language: "de").first)
    #expect(shown.prompt.identifier != read.prompt.identifier && shown.app.manifest == manifest)
    #expect(shown.prompt.asked == read.prompt.asked)
    let refusal = #expect(throws: BrokerError.self) {
      try done { world.anna.prompts.answer(read.prompt.identifier, .allow, completion: $0) }
    }
    #expect(refusal?.code == .refused && refusal?.reason?.code == .wordsChanged)
    #expect(
      code { try done { world.bert.prompts.answer(read.prompt.identifier, .allow, completion: $0) } }
        == .notFound(what: "prompt"))
    #expect(told.value == nil && world.store.log.count == decisions, "nothing was decided")
    try world.answer(.allow)
    #expect(try told.value?.get().status == .authorized)
    try world.restart()
    #expect(kinds(world).isEmpty)
  }

  @Test func `R28 changes outside the prompt's words cause no new prompt`() throws {
    let world = try World()
    let app = try world.app()
    app.requestAuthorization(level: .readWrite) { _ in }
    let read = world.anna.prompts.views(language: nil).map(\.prompt)
    _ = try done { app.introduce(.test(addReason: "Saves scans.", prevents: true), completion: $0) }
    #expect(world.anna.prompts.views(language: nil).map(\.prompt) == read)
  }

  @Test func `R28 R17 a prompt with new words survives a restart, and the old name does not`() throws {
    let world = try World()
    let app = try world.app()
    app.requestAuthorization(level: .readWrite) { _ in }
    let read = try #require(world.anna.prompts.views(language: nil).first?.prompt.identifier)
    world.store.isDeferred = true
    app.introduce(renamed("Bank")) { _ in }
    #expect(
      world.anna.prompts.views(language: nil).map(\.app.manifest.displayName) == ["Frame"],
      "the disk does not have it yet")
    world.store.complete()
    #expect(world.anna.prompts.views(language: nil).map(\.prompt.identifier) != [read])
    // Only the manifest was committed.
    #expect(!world.store.contents.prompts.contains { $0.identifier == read })
    world.store.isDeferred = false
    world.store.completeAll()
    let shown = world.anna.prompts.views(language: nil).map(\.prompt.identifier)
    try world.restart()
    #expect(world.anna.prompts.views(language: nil).map(\.prompt.identifier) == shown && shown.count == 1)
  }

  @Test func `R28 a pending answer holds, and a failed one leaves a prompt with the new words`() throws {
    let world = try World()
    for isRefused in [false, true] {
      let app = try world.app(.test())
      app.requestAuthorization(level: .readWrite) { _ in }
      let read = try #require(world.anna.prompts.views(language: nil).first?.prompt.identifier)
      world.store.isDeferred = true
      app.introduce(renamed("Bank \(isRefused)")) { _ in }
      let answered = Box<Result<(GrantView, decisions: [UInt64]), BrokerError>>()
      world.anna.prompts.answer(read, .allow) { answered.value = $0 }
      world.store.complete()
      if isRefused { world.store.refusals = 1 }
      world.store.isDeferred = false
      world.store.completeAll()
      let shown = world.anna.prompts.views(language: nil)
      if isRefused {
        #expect(throws: BrokerError.self) { try answered.value?.get() }
        #expect(shown.count == 1 && shown.first?.prompt.identifier != read)
      } else {
        #expect(try answered.value?.get().0.record.status == .authorized)
        #expect(shown.isEmpty)
      }
    }
  }

  @Test func `R16 R28 repeated changes of words stop prompts for a while`() throws {
    let world = try World()
    let app = try world.app()
    let told = Box<Result<Authorization, BrokerError>>()
    app.requestAuthorization(level: .readWrite) { told.value = $0 }
    var identifiers: Set<AppIdentifier> = []
    for index in 0..<40 {
      _ = try done { app.introduce(renamed("Name \(index)"), completion: $0) }
      app.requestAuthorization(level: .readWrite, wait: false) { _ in }
      identifiers.formUnion(world.anna.prompts.views(language: nil).map(\.prompt.identifier))
    }
    #expect(identifiers.count == BrokerLimits.dismissalsPerApp - 1)
    #expect(code { try #require(told.value).get() } == .photos(.limitExceeded))
    try world.restart()
    let again = try world.app()
    #expect(
      code { try done { again.requestAuthorization(level: .readWrite, completion: $0) } } == .photos(.limitExceeded))
    world.environment.advance(BrokerLimits.dismissalPause)
    again.requestAuthorization(level: .readWrite) { _ in }
    #expect(kinds(world) == [.authorization])
  }

  @Test func `R131 an app's change of name is recorded where it has decisions`() throws {
    let world = try World()
    let app = try world.app(.allow)
    var manifest = try #require(app.app).record.manifest
    func renames() -> [DecisionRecord] { world.store.log.filter { $0.action == "rename" } }
    _ = try done { app.introduce(manifest, completion: $0) }
    #expect(renames().isEmpty)
    manifest.displayName = "System Backup"
    _ = try done { app.introduce(manifest, completion: $0) }
    let record = try #require(renames().first)
    #expect((record.role, record.source, record.library) == (.app, .app, world.photos) && renames().count == 1)
    #expect((record.before, record.after, record.app) == ("called Frame", "called System Backup", app.app?.identifier))
    let fresh = try world.app(.test("org.example.other"))
    var other = try #require(fresh.app).record.manifest
    other.displayName = "Other"
    _ = try done { fresh.introduce(other, completion: $0) }
    #expect(renames().count == 1, "nobody decided on it")
  }
}
