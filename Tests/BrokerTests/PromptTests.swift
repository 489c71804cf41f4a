import Broker
import Catalogue
import Limits
import Macaroons
import PhotoModel
import Testing

@Suite struct PromptTests {
  @Test func `R53 R54 a limited app's person is prompted once per life cycle, at the first fetch`() throws {
    let world = try World()
    let app = try world.nextRun(of: world.app(.select, selecting: [1]))
    let own = try done { app.introduce(.test(), completion: $0) }.token
    let workers = try (0..<5).map { _ in
      let session = world.connect()
      _ = try session.attach(own)
      _ = try done { session.requestAuthorization(level: .readWrite, completion: $0) }
      return session
    }
    #expect(kinds(world).isEmpty)
    for worker in workers + [app] { world.broker.promptService.didFetch(try worker.authorize(.read)) }
    #expect(kinds(world) == [.keepSelection])
    try world.answer(.keep)
    world.broker.promptService.didFetch(try app.authorize(.read))
    #expect(kinds(world).isEmpty)
    // A reconnect continues the life cycle; a new process after the last one ended begins another.
    app.close()
    let again = world.connect(process: app.identity.processID)
    _ = try again.attach(own)
    _ = try done { again.requestAuthorization(level: .readWrite, completion: $0) }
    world.broker.promptService.didFetch(try again.authorize(.read))
    #expect(kinds(world).isEmpty)
    for session in workers + [again] {
      session.close()
      world.broker.processEnded(session.identity.processID)
    }
    // A process's last calls run after its end, and must not begin a life cycle that nothing would
    // end.
    let late = world.connect(process: 77)
    late.outliveProcess()
    world.broker.processEnded(77)
    _ = try late.attach(own)
    late.close()
    let next = world.connect()
    _ = try next.attach(own)
    _ = try done { next.requestAuthorization(level: .readWrite, completion: $0) }
    world.broker.promptService.didFetch(try next.authorize(.read))
    #expect(kinds(world) == [.keepSelection])
  }

  @Test func `R53a a life cycle in which a person chose the photos has no question, also after a restart`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1])
    world.broker.promptService.didFetch(try app.authorize(.read))
    #expect(kinds(world).isEmpty, "the request was answered just now")
    let next = try world.nextRun(of: app)
    _ = try world.edit(next, add: [2])
    world.broker.promptService.didFetch(try next.authorize(.read))
    #expect(kinds(world).isEmpty, "the selection was edited just now")
    let own = try done { next.introduce(.test(), completion: $0) }.token
    try world.restart()
    for (process, asks) in [(next.identity.processID, false), (7, true)] {
      if asks { world.broker.processEnded(next.identity.processID) }
      let session = world.connect(process: process)
      _ = try session.attach(own)
      _ = try done { session.requestAuthorization(level: .readWrite, completion: $0) }
      world.broker.promptService.didFetch(try session.authorize(.read))
      #expect(kinds(world) == (asks ? [.keepSelection] : []))
    }
  }

  @Test func `R62 a page that nothing can show is refused by name, and its request waits`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1])
    world.delegate.showsPrompts = false
    #expect(code { try #require(present(app).value).get() } == .promptPending)
    #expect(code { try #require(present(app).value).get() } == .promptPending)
    #expect(kinds(world) == [.selection])
    try world.answer(.select, selecting: [1, 2])
    #expect(try world.fetch(app) == [1, 2])
  }

  @Test(arguments: [false, true])
  func `R54 a life cycle survives a broker restart and ends with the machine`(isNewBoot: Bool) throws {
    let world = try World()
    let app = try world.nextRun(of: world.app(.select, selecting: [1]))
    let own = try done { app.introduce(.test(), completion: $0) }.token
    func fetch(process: Int64) throws {
      let session = world.connect(process: process)
      _ = try session.attach(own)
      _ = try done { session.requestAuthorization(level: .readWrite, completion: $0) }
      world.broker.promptService.didFetch(try session.authorize(.read))
    }
    try fetch(process: 7)
    try fetch(process: app.identity.processID)
    try world.answer(.keep)
    if isNewBoot { world.environment.monotonic = .seconds(-3_600) }
    try world.restart()
    try fetch(process: app.identity.processID)
    #expect(kinds(world) == (isNewBoot ? [.keepSelection] : []))
    if isNewBoot { return }
    // The next process begins another life cycle.
    try world.restart()
    try fetch(process: app.identity.processID)
    #expect(kinds(world).isEmpty)
    world.broker.processEnded(app.identity.processID)
    try fetch(process: 8)
    #expect(kinds(world) == [.keepSelection])
  }

  @Test
  func `R54 a life cycle continues after a restart for each of its processes, but not for reused numbers`()
    throws
  {
    let world = try World()
    let app = try world.nextRun(of: world.app(.select, selecting: [1]))
    let own = try done { app.introduce(.test(), completion: $0) }.token
    func join(_ process: Int64, _ identity: UInt64?) throws -> Session {
      let session = world.connect(process: process, identity: identity)
      _ = try session.attach(own)
      _ = try done { session.requestAuthorization(level: .readWrite, completion: $0) }
      return session
    }
    world.broker.promptService.didFetch(try app.authorize(.read))
    try world.answer(.keep)
    for (process, identity) in [(7, 70), (8, 80), (9, nil)] as [(Int64, UInt64?)] { _ = try join(process, identity) }
    world.broker.processEnded(9)
    world.broker.processEnded(app.identity.processID)
    try world.restart()
    // Processes that have not reconnected stay remembered when another app's prompt is stored.
    let other = try world.nextRun(
      of: world.app(.select, selecting: [1], manifest: .test("org.example.other")))
    world.broker.promptService.didFetch(try other.authorize(.read))
    try world.answer(.keep)
    try world.restart()
    world.broker.promptService.didFetch(try join(7, 70).authorize(.read))
    #expect(kinds(world).isEmpty, "it was there when the question had been asked")
    world.broker.processEnded(7)
    for (process, identity) in [(8, 81), (9, nil), (app.identity.processID, nil)] as [(Int64, UInt64?)] {
      world.broker.promptService.didFetch(try join(process, identity).authorize(.read))
      #expect(kinds(world) == [.keepSelection], "another process with the number of one that was")
      try world.answer(.keep)
      world.broker.processEnded(process)
    }
  }

  @Test func `R31 an app without its reason asks no more, and its waiting calls are informed`() throws {
    let world = try World()
    let app = try world.app()
    let reading = Box<Result<Authorization, BrokerError>>()
    let adding = Box<Result<Authorization, BrokerError>>()
    app.requestAuthorization(level: .readWrite) { reading.value = $0 }
    app.requestAuthorization(level: .addOnly) { adding.value = $0 }
    #expect(world.anna.prompts.views(language: nil).count == 2)
    _ = try done { app.introduce(.test(reason: nil), completion: $0) }
    #expect(world.anna.prompts.views(language: nil).map(\.prompt.key.level) == [.addOnly])
    let key = App.usageKey(.readWrite)
    #expect(code { try #require(reading.value).get() } == .usageDescriptionMissing(key: key) && adding.value == nil)
    try world.restart()
    #expect(world.anna.prompts.views(language: nil).map(\.prompt.key.level) == [.addOnly])
  }

  @Test func `R31 a request made while a manifest without its reason is being written ends too`() throws {
    let world = try World()
    let app = try world.app()
    world.store.isDeferred = true
    app.introduce(.test(reason: nil)) { _ in }
    let asked = Box<Result<Authorization, BrokerError>>()
    app.requestAuthorization(level: .readWrite) { asked.value = $0 }
    world.store.isDeferred = false
    world.store.completeAll()
    #expect(world.anna.prompts.views(language: nil).isEmpty)
    #expect(code { try #require(asked.value).get() } == .usageDescriptionMissing(key: App.usageKey(.readWrite)))
    try world.restart()
    #expect(world.anna.prompts.views(language: nil).isEmpty)
  }

  @Test(arguments: [false, true])
  func `R127 a library no longer offered causes no prompts, stored ones included`(isKept: Bool) throws {
    let world = try World()
    let app = try world.app()
    let neighbour = try world.app(.test("org.example.neighbour"), uid: World.anna)
    let asked = Box<Result<Authorization, BrokerError>>()
    app.requestAuthorization(level: .readWrite) { asked.value = $0 }
    neighbour.requestAuthorization(level: .readWrite) { _ in }
    if !isKept { world.store.refusals = 1 }
    _ = try? done { world.anna.rights.offer(world.photos, to: [], completion: $0) }
    #expect(world.anna.prompts.views(language: nil).map(\.prompt.key.app) == [neighbour.app?.identifier])
    #expect(code { try #require(asked.value).get() } == .photos(.identifierNotFound))
    if !isKept { return }
    try world.restart()
    #expect(world.anna.prompts.views(language: nil).map(\.prompt.key.app) == [neighbour.app?.identifier])
  }

  @Test func `R53 the fetch does not wait, and the answer changes the next one`() throws {
    let world = try World()
    let app = try world.nextRun(of: world.app(.select, selecting: [1]))
    world.broker.promptService.didFetch(try app.authorize(.read))
    #expect(try world.fetch(app) == [1])
    try world.answer(.change, selecting: [2, 3])
    #expect(try world.fetch(app) == [2, 3])
  }

  @Test func `R56 keep changes nothing, and change without a selection keeps it`() throws {
    let world = try World()
    for answer in [PromptAnswer.keep, .change] {
      let app = try world.nextRun(
        of: world.app(.select, selecting: [1], manifest: .test("org.example.\(answer)")))
      let permit = try app.authorize(.read)
      world.broker.promptService.didFetch(permit)
      try world.answer(answer)
      #expect(try world.fetch(app) == [1])
      #expect(world.broker.mayRelease(permit))
    }
  }

  @Test func `R58 R60 full access, the manifest key and an app without a screen cause no prompt`() throws {
    let world = try World()
    for (answer, manifest) in [
      (PromptAnswer.allow, Manifest.test("a")), (.select, .test("b", prevents: true)),
      (.select, .test("c", hasScreen: false)),
    ] {
      let app = try world.nextRun(of: world.app(answer, manifest: manifest))
      world.broker.promptService.didFetch(try app.authorize(.read))
      #expect(kinds(world).isEmpty)
    }
  }

  @Test func `R61 the key stops neither request nor selection page`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1], manifest: .test(prevents: true))
    _ = present(app)
    #expect(kinds(world) == [.selection])
  }

  @Test func `R62 R63 R64 the page's answer lists the newly selected photos, already in force`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    let inForce = Box<[Int]>()
    let told = Box<[AssetNumber]>()
    app.presentLimitedLibraryPicker { result in
      told.value = try? result.get().1
      inForce.value = try? world.fetch(app)
    }
    try world.answer(.select, selecting: [2, 3, 4])
    #expect(told.value.map { Set($0.map(\.rawValue)) } == [3, 4])
    #expect(inForce.value == [2, 3, 4])
    let cancelled = present(app)
    try world.answer(.cancel)
    #expect(try cancelled.value?.get().1.isEmpty == true)
    #expect(try world.fetch(app) == [2, 3, 4])
  }

  @Test func `R63 photos invisible to the app are not newly selected`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1])
    _ = try done {
      world.library.marks.set(world.selection([2]), favourite: nil, hidden: true, neverShare: nil, completion: $0)
    }
    _ = try done {
      world.library.marks.set(world.selection([3]), favourite: nil, hidden: nil, neverShare: true, completion: $0)
    }
    let told = present(app)
    try world.answer(.select, selecting: [1, 2, 3, 4])
    #expect(try told.value?.get().1.map(\.rawValue) == [4])
    #expect(try world.fetch(app) == [1, 4])
  }

  @Test func `R65 without limited access no page opens, with its own error`() throws {
    let world = try World()
    for (answer, status) in [(PromptAnswer.allow, "authorized"), (.deny, "denied")] {
      let app = try world.app(answer, manifest: .test("org.example.\(status)"))
      #expect(code { try done { app.presentLimitedLibraryPicker(completion: $0) } } == .notLimited(status: status))
    }
    let app = try world.app()
    #expect(
      code { try done { app.presentLimitedLibraryPicker(completion: $0) } } == .notLimited(status: "notDetermined"))
    #expect(kinds(world).isEmpty)
  }

  @Test func `R65 the page closes when access ends`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1])
    let told = present(app)
    _ = try world.set(app, .denied)
    #expect(code { try told.value?.get() } == .notLimited(status: "denied"))
    #expect(kinds(world).isEmpty)
    try world.restart()
    #expect(kinds(world).isEmpty)
  }

  @Test func `R54 every life cycle prompts, however often the selection was kept`() throws {
    let world = try World()
    let app = try world.nextRun(of: world.app(.select, selecting: [1]))
    let own = try done { app.introduce(.test(), completion: $0) }.token
    for process in 1000..<1040 {
      if process == 1039 { world.environment.advance(.seconds(3601)) }
      let session = world.connect(process: Int64(process))
      _ = try session.attach(own)
      _ = try done { session.requestAuthorization(level: .readWrite, completion: $0) }
      world.broker.processEnded(app.identity.processID)
      world.broker.promptService.didFetch(try session.authorize(.read))
      // Restarting in a loop does not open prompts without limit.
      guard process < 1000 + BrokerLimits.keepQuestionsPerHour || process == 1039 else {
        #expect(kinds(world) == [])
        session.close()
        world.broker.processEnded(Int64(process))
        continue
      }
      #expect(kinds(world) == [.keepSelection])
      try world.answer(.keep)
      session.close()
      world.broker.processEnded(Int64(process))
    }
  }

  @Test func `R15 a decision in settings answers the open prompt`() throws {
    let world = try World()
    let app = try world.app()
    let told = Box<Result<Authorization, BrokerError>>()
    app.requestAuthorization(level: .readWrite) { told.value = $0 }
    _ = try world.set(app, .authorized)
    #expect(try told.value?.get().status == .authorized)
    #expect(kinds(world).isEmpty)
    _ = try world.fetch(app)
  }

  @Test func `R15 a closed connection waits no longer, and the prompt stays`() throws {
    let world = try World()
    let app = try world.app()
    var told = false
    app.requestAuthorization(level: .readWrite) { _ in told = true }
    app.close()
    try world.answer(.allow)
    #expect(!told)
  }

  @Test func `R16 an expired prompt is withdrawn and changes nothing`() throws {
    let world = try World()
    let app = try world.app()
    let told = Box<Result<Authorization, BrokerError>>()
    app.requestAuthorization(level: .readWrite) { told.value = $0 }
    world.environment.advance(BrokerLimits.promptLifetime)
    _ = world.broker.expiry.runDue()
    #expect(try told.value?.get().status == .notDetermined)
    #expect(kinds(world).isEmpty)
  }

  @Test func `R126 a prompt reaches only the library's owner`() throws {
    let world = try World()
    try world.app().requestAuthorization(level: .readWrite) { _ in }
    let prompt = try #require(world.anna.prompts.views(language: nil).first?.prompt.identifier)
    for other in [world.bert, world.root] {
      #expect(other.prompts.views(language: nil).isEmpty)
      #expect(code { try done { other.prompts.answer(prompt, .allow, completion: $0) } } == .notFound(what: "prompt"))
    }
    #expect(world.delegate.promptsChanged == [[World.anna]])
    try world.answer(.allow)
    #expect(
      code { try done { world.anna.prompts.answer(prompt, .allow, completion: $0) } } == .notFound(what: "prompt"))
  }

  @Test func `R126 prompts about one's own libraries precede those of co-owned ones`()
    throws
  {
    let world = try World()
    _ = try done { world.bert.rights.delegate(world.holidays, Delegation(coOwners: [World.anna]), completion: $0) }
    try world.accept(world.holidays, by: World.anna)
    for (user, library) in [(World.bert, world.holidays), (World.anna, world.photos)] {
      try world.app(uid: user).requestAuthorization(level: .readWrite, library: library) { _ in }
    }
    let asked = world.anna.prompts.views(language: nil)
    #expect(asked.map(\.prompt.key.library) == [world.photos, world.holidays] && asked.map(\.isOwn) == [true, false])
  }
}
