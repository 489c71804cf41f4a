import Broker
import Limits
import PhotoModel
import Testing

/// R129: a user who introduces many apps delays only themselves.
@Suite struct IntroductionTests {
  private func introduce(_ session: Session, _ answers: Box<Int>, _ manifest: Manifest = .test()) {
    session.introduce(manifest) { result in if (try? result.get()) != nil { answers.value = (answers.value ?? 0) + 1 } }
  }

  @Test func `R129 a few introductions per user are written at a time, and the rest take turns`() throws {
    let world = try World()
    world.store.isDeferred = true
    let (mine, others) = (Box<Int>(), Box<Int>())
    let sessions = (0..<10).map { _ in world.connect() }
    for session in sessions { introduce(session, mine) }
    #expect(world.store.pending == BrokerLimits.introductionsPerUser)
    introduce(world.connect(uid: 2_001), others)
    #expect(world.store.pending == BrokerLimits.introductionsPerUser + 1, "another user waits for none of them")
    world.store.complete()
    #expect(mine.value == 1 && world.store.pending == BrokerLimits.introductionsPerUser + 1)
    // Nothing is stored for a connection that closed while queued.
    sessions[9].close()
    world.store.completeAll()
    #expect((mine.value, others.value) == (9, 1))
  }

  @Test func `R131 an app changing its name does not fill the record of decisions`() throws {
    let world = try World()
    let app = try world.app(.allow)
    func call(_ name: String) throws {
      var manifest = Manifest.test()
      manifest.displayName = name
      _ = try done { app.introduce(manifest, completion: $0) }
    }
    for number in 0..<BrokerLimits.renamingsPerHour { try call("Name \(number)") }
    #expect(code { try call("One more") } == .photos(.limitExceeded))
    try call("Name \(BrokerLimits.renamingsPerHour - 1)")
    world.environment.advance(.seconds(3601))
    try call("One more")
  }

  @Test func `R129 a refused introduction admits the next, and a known app waits for none`() throws {
    let world = try World()
    let known = try world.app()
    world.store.isDeferred = true
    let answers = Box<Int>()
    for _ in 0..<6 { introduce(world.connect(), answers) }
    introduce(known, answers)
    #expect(answers.value == 1, "nothing of it is written")
    world.store.refusals = 1
    world.store.completeAll()
    #expect(answers.value == 6)
  }
}
