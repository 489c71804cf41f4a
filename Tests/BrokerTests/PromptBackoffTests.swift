import Broker
import Catalogue
import Limits
import Macaroons
import PhotoModel
import Testing

/// Pauses after denials and dismissals, and bounds (R16, R17).
@Suite struct PromptBackoffTests {
  @Test func `R16 100,000 requests cause one prompt`() throws {
    let world = try World()
    let app = try world.app()
    for _ in 0..<100_000 { app.requestAuthorization(level: .readWrite, wait: false) { _ in } }
    #expect(kinds(world) == [.authorization])
  }

  @Test func `R16 prompts are bounded per user and per library`() throws {
    let world = try World()
    var refused = 0
    for index in 0..<BrokerLimits.promptsPerUser + 5 {
      let app = try world.app(.test("org.example.a\(index)"))
      app.requestAuthorization(level: .readWrite) {
        if case .failure(let error) = $0, error.code == .photos(.limitExceeded) { refused += 1 }
      }
    }
    #expect(refused == 5)
    #expect(kinds(world).count == BrokerLimits.promptsPerUser)
  }

  @Test func `R16 a second denial stops prompts under any identity`() throws {
    let world = try World()
    for _ in 0..<BrokerLimits.denialsPerApp { _ = try world.app(.deny) }
    try world.restart()
    let app = try world.app()
    #expect(
      code { try done { app.requestAuthorization(level: .readWrite, completion: $0) } } == .photos(.limitExceeded))
    #expect(kinds(world).isEmpty)
    world.environment.advance(BrokerLimits.coolDown)
    app.requestAuthorization(level: .readWrite) { _ in }
    #expect(kinds(world) == [.authorization])
  }

  @Test func `R16 changing names does not let one user's apps prompt without end`() throws {
    let world = try World()
    for index in 0..<BrokerLimits.denialsPerUser { _ = try world.app(.deny, manifest: .test("org.example.a\(index)")) }
    let app = try world.app(.test("org.example.fresh"))
    #expect(
      code { try done { app.requestAuthorization(level: .readWrite, completion: $0) } } == .photos(.limitExceeded))
  }

  @Test func `R17 open prompts, suppressed ones and backoffs survive a restart`() throws {
    let world = try World()
    for _ in 0..<BrokerLimits.denialsPerApp { _ = try world.app(.deny) }
    let asking = try world.app(.test("org.example.other"))
    asking.requestAuthorization(level: .readWrite) { _ in }
    let token = try done { asking.introduce(.test("org.example.other"), completion: $0) }.token
    try world.restart()
    #expect(world.anna.prompts.views(language: nil).count == 1)
    let again = world.connect()
    _ = try again.attach(token)
    #expect(
      code { try done { again.requestAuthorization(level: .readWrite, wait: false, completion: $0) } } == .promptPending
    )
    #expect(world.anna.prompts.views(language: nil).count == 1)
    let denied = try world.app()
    #expect(
      code { try done { denied.requestAuthorization(level: .readWrite, completion: $0) } } == .photos(.limitExceeded))
  }

  @Test func `R17 a restart remembers the latest denials`() throws {
    let world = try World()
    for round in 0..<3 {
      for index in 0..<BrokerLimits.denialsPerUser {
        _ = try world.app(.deny, manifest: .test("org.example.a\(round)-\(index)"))
      }
      world.environment.advance(BrokerLimits.coolDown + .seconds(1))
    }
    for _ in 0..<BrokerLimits.denialsPerApp { _ = try world.app(.deny) }
    try world.restart()
    let app = try world.app()
    #expect(
      code { try done { app.requestAuthorization(level: .readWrite, completion: $0) } } == .photos(.limitExceeded))
  }

  @Test func `R16 settings changes are no answers to prompts, before and after a restart`()
    throws
  {
    let world = try World()
    for _ in 0..<BrokerLimits.denialsPerApp { _ = try world.set(try world.app(.allow), .denied) }
    for restarts in [false, true] {
      if restarts { try world.restart() }
      let app = try world.app()
      app.requestAuthorization(level: .readWrite) { _ in }
      #expect(kinds(world) == [.authorization])
      try world.answer(.allow)
    }
  }

  @Test func `R16 the backoff starts at the last denial`() throws {
    let world = try World()
    _ = try world.app(.deny)
    world.environment.advance(BrokerLimits.coolDown - .seconds(60))
    _ = try world.app(.deny)
    world.environment.advance(.seconds(120))
    let app = try world.app()
    #expect(
      code { try done { app.requestAuthorization(level: .readWrite, completion: $0) } } == .photos(.limitExceeded))
    world.environment.advance(BrokerLimits.coolDown)
    app.requestAuthorization(level: .readWrite) { _ in }
    #expect(kinds(world) == [.authorization])
  }

  @Test func `R16 forgetting one denial forgets no other`() throws {
    let world = try World()
    var first: Session?
    for index in 0..<BrokerLimits.denialsPerUser {
      let app = try world.app(.deny, manifest: .test("org.example.a\(index / 2)"))
      first = first ?? app
    }
    _ = try world.set(try #require(first), .notDetermined)
    let same = try world.app(.test("org.example.a3"))
    #expect(
      code { try done { same.requestAuthorization(level: .readWrite, completion: $0) } } == .photos(.limitExceeded))
    try #require(first).requestAuthorization(level: .readWrite) { _ in }
    #expect(kinds(world) == [.authorization])
  }

  @Test func `R16 a denial dated by a clock running ahead delays nobody for years`() throws {
    let world = try World()
    world.environment.advance(.seconds(10 * 365 * 86_400))
    for _ in 0..<BrokerLimits.denialsPerApp { _ = try world.app(.deny) }
    world.environment.now = world.environment.now.advanced(by: .seconds(-10 * 365 * 86_400))
    let app = try world.app()
    app.requestAuthorization(level: .readWrite) { _ in }
    #expect(kinds(world) == [.authorization])
  }

  @Test func `R4 forgetting a denial lets the app ask again`() throws {
    let world = try World()
    let app = try world.app(.deny)
    for _ in 0..<3 {
      _ = try world.set(app, .notDetermined)
      app.requestAuthorization(level: .readWrite) { _ in }
      try world.answer(.deny)
    }
  }

  @Test func `R16 R62 a cancelled selection page opens again a limited number of times`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1])
    let own = try done { app.introduce(.test(), completion: $0) }.token
    for _ in 0..<BrokerLimits.dismissalsPerApp {
      _ = present(app)
      try world.answer(.cancel)
    }
    #expect(code { try #require(present(app).value).get() } == .photos(.limitExceeded))
    try world.restart()
    let again = world.connect()
    _ = try again.attach(own)
    _ = try done { again.requestAuthorization(level: .readWrite, completion: $0) }
    #expect(code { try #require(present(again).value).get() } == .photos(.limitExceeded))
    #expect(kinds(world).isEmpty)
    world.environment.advance(BrokerLimits.dismissalPause)
    _ = present(again)
    #expect(kinds(world) == [.selection])
  }
}
