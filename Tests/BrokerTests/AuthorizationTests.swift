import Broker
import Macaroons
import PhotoModel
import Testing

@Suite struct AuthorizationTests {
  @Test func `R2 the two levels are decided separately`() throws {
    let world = try World()
    let app = try world.app(.deny, .addOnly)
    #expect(try app.status(.addOnly) == .denied)
    #expect(try app.status(.readWrite) == .notDetermined)
    let asked = Box<Result<Authorization, BrokerError>>()
    app.requestAuthorization(level: .readWrite) { asked.value = $0 }
    #expect(asked.value == nil)
    try world.answer(.allow)
    #expect(try asked.value?.get().status == .authorized)
    #expect(try app.status(.addOnly) == .denied)
  }

  @Test func `R4 restricted comes from administrators, denied from owners, and forgetting resets both`() throws {
    let world = try World()
    let app = try world.app(.allow)
    _ = try world.set(app, .restricted, by: world.root)
    #expect(try app.status(.readWrite) == .restricted)
    #expect(code { try app.authorize(.read) } == .photos(.accessRestricted))
    _ = try world.set(app, .denied)
    #expect(try app.status(.readWrite) == .denied)
    #expect(code { try app.authorize(.read) } == .photos(.accessUserDenied))
    #expect(code { try world.set(app, .restricted) } == .refused)
    #expect(code { try world.set(app, .denied, by: world.root) } == .notPermitted)
    _ = try world.set(app, .notDetermined)
    #expect(try app.status(.readWrite) == .notDetermined)
    #expect(try world.anna.grants.list().isEmpty)
  }

  @Test(arguments: [AuthorizationStatus.denied, .notDetermined, .restricted])
  func `R4 old tokens never become valid again`(_ end: AuthorizationStatus) throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    let old = try done { app.requestAuthorization(level: .readWrite, completion: $0) }.token!
    _ = try world.set(app, end, by: end == .restricted ? world.root : nil)
    _ = try world.set(app, .limited)
    #expect(code { try world.connect().attach(old) } == .tokenRefused)
    #expect(code { try app.authorize(.read) } == .tokenRefused)
    try world.restart()
    #expect(code { try world.connect().attach(old) } == .tokenRefused)
  }

  @Test func `R4 limited to full to limited keeps the selection and the token`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    let token = try done { app.requestAuthorization(level: .readWrite, completion: $0) }.token
    _ = try world.set(app, .authorized)
    #expect(try world.fetch(app).count == 10)
    _ = try world.set(app, .limited)
    #expect(try world.fetch(app) == [1, 2])
    #expect(try done { app.requestAuthorization(level: .readWrite, completion: $0) }.token == token)
  }

  @Test func `R7 R8 reading the status prompts nobody and changes nothing`() throws {
    let world = try World()
    let app = try world.app()
    let commits = world.store.commits
    for level in AccessLevel.allCases { #expect(try app.status(level) == .notDetermined) }
    _ = try app.describeAccess(.readWrite)
    #expect(world.anna.prompts.views(language: nil).isEmpty)
    #expect(world.store.commits == commits)
  }

  @Test func `R9 R21 limited exists for readWrite only, and addOnly has two answers`() throws {
    let world = try World()
    let app = try world.app()
    #expect(code { try world.set(app, .limited, .addOnly) } != nil)
    app.requestAuthorization(level: .addOnly) { _ in }
    let prompt = try #require(world.anna.prompts.views(language: nil).first)
    #expect(prompt.answers == [.allow, .deny])
    #expect(
      code { try done { world.anna.prompts.answer(prompt.prompt.identifier, .select, completion: $0) } } == .refused)
    try world.answer(.allow)
    #expect(code { try world.set(app, .limited, .addOnly) } == .refused)
    app.requestAuthorization(level: .readWrite) { _ in }
    #expect(world.anna.prompts.views(language: nil).first?.answers == [.allow, .select, .deny])
  }

  @Test func `R10 R11 addOnly adds and does nothing else under any selection`() throws {
    let world = try World()
    let app = try world.app(.allow, .addOnly)
    _ = try app.authorize(.add)
    for verb in [Verbs.read, .edit, .delete, .observe, .pick] {
      #expect(code { try app.authorize(verb, level: .addOnly) } == .photos(.accessUserDenied))
    }
    #expect(code { try app.authorize(.read) } == .promptNeeded(world.key(app)))
    #expect(try app.authorize(.add).view == nil)
    #expect(try app.describeAccess(.addOnly).visible == 0)
    app.requestAuthorization(level: .readWrite) { _ in }
    try world.answer(.select, selecting: [])
    #expect(try app.authorize(.add).grant.record.key.level == .addOnly)
  }

  @Test
  func
    `R19 R27 R30 adding asks for addOnly where nothing is in force, and for readWrite where that alone has a reason`()
    throws
  {
    let world = try World()
    let denied = try world.app(.allow)
    #expect(try denied.authorize(.add).grant.record.key.level == .readWrite)
    _ = try done { world.anna.grants.pause(RevocationScope(app: denied.app!.identifier), paused: true, completion: $0) }
    #expect(code { try denied.authorize(.add) } == .photos(.accessUserDenied))
    _ = try world.set(denied, .denied)
    #expect(code { try denied.authorize(.add) } == .promptNeeded(world.key(denied, .addOnly)))
    #expect(code { try denied.authorize([.add, .edit]) } == .photos(.accessUserDenied))
    let reader = try world.app(.test("org.example.reader", addReason: nil))
    #expect(code { try reader.authorize(.add) } == .promptNeeded(world.key(reader)))
    _ = try world.set(reader, .denied)
    #expect(code { try reader.authorize(.add) } == .photos(.accessUserDenied))
    let silent = try world.app(.test("org.example.silent", reason: nil, addReason: nil))
    #expect(code { try silent.authorize(.add) } == .usageDescriptionMissing(key: "NSPhotoLibraryAddUsageDescription"))
  }

  @Test func `R12 nothing is accessible without a decision`() throws {
    let world = try World()
    #expect(code { try world.connect().authorize(.read) } == .tokenRequired)
    let app = try world.app()
    for verb in [Verbs.read, .edit, .delete, .observe] {
      #expect(code { try app.authorize(verb) } == .promptNeeded(world.key(app)))
    }
    #expect(code { try app.authorize(.add) } == .promptNeeded(world.key(app, .addOnly)))
  }

  @Test func `R15 R16 R17 a request prompts once, waits, and is remembered`() throws {
    let world = try World()
    let app = try world.app()
    let first = Box<Result<Authorization, BrokerError>>()
    let second = Box<Result<Authorization, BrokerError>>()
    app.requestAuthorization(level: .readWrite) { first.value = $0 }
    app.requestAuthorization(level: .readWrite) { second.value = $0 }
    #expect(first.value == nil && world.anna.prompts.views(language: nil).count == 1)
    try world.answer(.select, selecting: [3])
    #expect(try first.value?.get().status == .limited)
    #expect(try second.value?.get().token == first.value?.get().token)
    let own = try done { app.introduce(.test(), completion: $0) }.token
    try world.restart()
    let again = world.connect()
    _ = try again.attach(own)
    #expect(try done { again.requestAuthorization(level: .readWrite, completion: $0) }.status == .limited)
    #expect(world.anna.prompts.views(language: nil).isEmpty)
    #expect(try world.fetch(again) == [3])
  }

  @Test func `R17 a prompt survives a restart, and its answer holds for later requests`() throws {
    let world = try World()
    let app = try world.app()
    let own = try done { app.introduce(.test(), completion: $0) }.token
    app.requestAuthorization(level: .readWrite) { _ in }
    try world.restart()
    #expect(world.anna.prompts.views(language: nil).count == 1)
    try world.answer(.allow)
    let again = world.connect()
    _ = try again.attach(own)
    #expect(try again.status(.readWrite) == .authorized)
    try world.restart()
    #expect(world.anna.prompts.views(language: nil).isEmpty)
  }

  @Test func `R18 a running app is notified of a change in settings`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let permit = try app.authorize(.observe)
    let told = Box<Int>()
    told.value = 0
    let watching = try world.library.changes.observe(since: nil, grant: permit.grant, attenuation: nil) {
      told.value! += 1
    }
    _ = try world.set(app, .denied)
    #expect(told.value! > 0)
    withExtendedLifetime(watching) {}
  }

  @Test func `R19 the first operation prompts by itself and continues after the answer`() throws {
    let world = try World()
    let app = try world.app()
    guard case .promptNeeded(let key) = code({ try app.authorize(.read) }) else {
      Issue.record("no prompt needed")
      return
    }
    let outcome = Box<[Int]>()
    app.requestAuthorization(level: key.level, library: key.library) { _ in outcome.value = try? world.fetch(app) }
    #expect(outcome.value == nil)
    let other = try world.app(.test("org.example.other"))
    #expect(try other.status(.readWrite) == .notDetermined)
    try world.answer(.select, selecting: [5])
    #expect(outcome.value == [5])
  }

  @Test func `R20 a request that does not wait reports a pending prompt`() throws {
    let world = try World()
    let app = try world.app()
    #expect(
      code { try done { app.requestAuthorization(level: .readWrite, wait: false, completion: $0) } } == .promptPending)
    #expect(
      code { try done { app.requestAuthorization(level: .readWrite, wait: false, completion: $0) } } == .promptPending)
    #expect(world.anna.prompts.views(language: nil).count == 1)
    try world.answer(.deny)
    #expect(try done { app.requestAuthorization(level: .readWrite, wait: false, completion: $0) }.status == .denied)
  }

  @Test func `R127 an adding app is asked about the library that it reads, even after it lost it`()
    throws
  {
    let world = try World()
    _ = try done { world.bert.rights.offer(world.holidays, to: [World.appUser], completion: $0) }
    try world.accept(world.holidays, by: World.appUser)
    let app = try world.app(.test())
    let asked = Box<Result<Authorization, BrokerError>>()
    app.requestAuthorization(level: .readWrite, library: world.photos) { asked.value = $0 }
    try world.answer(.allow)
    _ = try #require(asked.value).get()
    _ = try world.set(app, .denied)
    // A grant in the other library alone must not direct the app there.
    let settings = GrantSettings(status: .authorized)
    _ = try done {
      world.bert.grants.set(
        library: world.holidays, app: app.app!.identifier, level: .addOnly, settings, completion: $0)
    }
    #expect(code { try app.authorize(.add) } == .promptNeeded(world.key(app, .addOnly)))
    _ = try done { world.anna.rights.offer(world.photos, to: [], completion: $0) }
    #expect(code { try app.authorize(.add) } == .photos(.identifierNotFound))
  }

  @Test func `R27 an add-only app never prompts about reading`() throws {
    let world = try World()
    let app = try world.app(.allow, .addOnly, manifest: .test(reason: nil))
    _ = try app.authorize(.add)
    #expect(world.anna.prompts.views(language: nil).isEmpty)
  }

  @Test(arguments: [nil, "", " \n "] as [String?])
  func `R25 R31 R32 a level without a reason fails with its own error and no prompt`(
    _ reason: String?
  ) throws {
    let world = try World()
    let app = try world.app(.test(reason: reason))
    let missing = BrokerError.Code.usageDescriptionMissing(key: "NSPhotoLibraryUsageDescription")
    #expect(code { try done { app.requestAuthorization(level: .readWrite, completion: $0) } } == missing)
    #expect(code { try app.authorize(.read) } == missing)
    #expect(world.anna.prompts.views(language: nil).isEmpty)
    #expect(world.store.log.filter { $0.action == "usageDescriptionMissing" }.count == 1)
    #expect(try app.status(.readWrite) == .notDetermined)
    app.requestAuthorization(level: .addOnly) { _ in }
    #expect(world.anna.prompts.views(language: nil).count == 1)
  }

  @Test func `R31 a grant is useless without a reason`() throws {
    let world = try World()
    let app = try world.app(.allow)
    _ = try world.fetch(app)
    _ = try done { app.introduce(.test(reason: " "), completion: $0) }
    #expect(code { try app.authorize(.read) } == .usageDescriptionMissing(key: "NSPhotoLibraryUsageDescription"))
  }

  @Test func `R28 R29 the app's words are shown in the person's language or the default`() throws {
    let world = try World()
    try world.app().requestAuthorization(level: .readWrite) { _ in }
    #expect(world.anna.prompts.views(language: "de-AT").first?.usageDescription == "Zeigt Ihre Fotos.")
    #expect(world.anna.prompts.views(language: "fr").first?.usageDescription == "Shows your photos.")
  }

  @Test func `R28 R29 prompts are listed without words and shown in the reader's languages`()
    throws
  {
    let world = try World()
    for level in [AccessLevel.readWrite, .addOnly] { try world.app().requestAuthorization(level: level) { _ in } }
    let questions = world.anna.prompts.waiting
    #expect(questions.count == 2 && world.bert.prompts.waiting.isEmpty)
    #expect(questions.map(\.prompt.record) == world.anna.prompts.views(language: nil).map(\.prompt))
    let shown: [(languages: String?, reason: String)] = [
      ("de-AT", "Zeigt Ihre Fotos."), ("fr", "Shows your photos."), (nil, "Shows your photos."),
    ]
    for (languages, reason) in shown {
      let list = LocalizedText.Languages(languages)
      let views = questions.map { world.anna.prompts.view(of: $0, in: list) }
      #expect(views.first { $0.prompt.key.level == .readWrite }?.usageDescription == reason)
      #expect(views.first { $0.prompt.key.level == .addOnly }?.usageDescription == "Saves photos.")
    }
  }

  @Test func `R34 R35 R36 R37 level-unaware calls never say limited, and the data is filtered`() throws {
    let world = try World()
    let app = try world.app()
    #expect(try app.status(.readWrite).levelUnaware == .notDetermined)
    let answer = Box<Result<Authorization, BrokerError>>()
    app.requestAuthorization(level: .readWrite) { answer.value = $0 }
    try world.answer(.select, selecting: [4])
    #expect(try answer.value?.get().status.levelUnaware == .authorized)
    #expect(try app.status(.readWrite).levelUnaware == .authorized)
    #expect(try world.fetch(app) == [4])
    for status in [AuthorizationStatus.denied, .notDetermined] {
      _ = try world.set(app, status)
      #expect(try app.status(.readWrite).levelUnaware == status)
    }
    _ = try world.set(app, .restricted, by: world.root)
    #expect(try app.status(.readWrite).levelUnaware == .restricted)
    let adder = try world.app(.allow, .addOnly, manifest: .test("org.example.adder"))
    #expect(try adder.status(.readWrite).levelUnaware == .notDetermined)
  }
}
