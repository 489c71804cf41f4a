import Broker
import Catalogue
import Limits
import Macaroons
import PhotoModel
import Testing

@Suite struct ConfirmedDeletionTests {
  private typealias Answer = Box<Result<Void, BrokerError>>

  private func ask(_ world: World, _ app: Session, _ photos: [Int] = [1, 2]) throws -> Answer {
    let answer = Answer()
    try world.broker.deletionService.ask(
      about: photos.map { AssetNumber(UInt32($0)) }, under: app.authorize(.delete)
    ) { answer.value = $0.map { _ in () } }
    return answer
  }

  private func answer(_ world: World, _ allows: Bool) throws {
    try world.anna.deletions.answer(#require(world.anna.deletions.waiting.first).identifier, allows: allows)
  }

  private func code(_ answer: Answer) -> BrokerError.Code? {
    guard case .failure(let error)? = answer.value else { return nil }
    return error.code
  }

  @Test func `R153 only owners see a question, and their answer is on record`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let asked = try ask(world, app)
    #expect(world.bert.deletions.waiting.isEmpty && world.root.deletions.waiting.isEmpty)
    #expect(try #require(world.anna.deletions.waiting.first).assets.count == 2)
    try answer(world, true)
    #expect(asked.value != nil && code(asked) == nil && world.anna.deletions.waiting.isEmpty)
    let decision = try #require(world.store.log.last)
    #expect((decision.action, decision.before, decision.after) == ("confirm", "2 to delete", "deletion allowed"))
    let refused = try ask(world, app)
    try answer(world, false)
    #expect(code(refused) == .photos(.userCancelled))
  }

  @Test func `R153 with nobody to ask a deletion fails at once, by name`() throws {
    let world = try World()
    let app = try world.app(.allow)
    world.delegate.showsPrompts = false
    let error = #expect(throws: BrokerError.self) { try ask(world, app) }
    guard case .nobodyToAsk(let owners)? = error?.code else {
      Issue.record("\(error.debugDescription)")
      return
    }
    #expect(!owners.isEmpty && owners.allSatisfy { error?.message.contains($0) == true })
    #expect(world.anna.deletions.waiting.isEmpty)
  }

  @Test func `R153 an app hears at once for whom its request waits`() throws {
    let world = try World()
    let app = try world.app(.deny)
    var heard: [WaitingNotice] = []
    _ = try world.set(app, .notDetermined)
    app.requestAuthorization(level: .readWrite, waits: { heard.append($0) }, completion: { _ in })
    world.delegate.showsPrompts = false
    app.requestAuthorization(level: .readWrite, waits: { heard.append($0) }, completion: { _ in })
    #expect(heard.map(\.isShown) == [true, false] && heard.allSatisfy { !$0.owners.isEmpty })
  }

  @Test(arguments: [AuthorizationStatus.denied, .restricted, .notDetermined])
  func `R153 a question ends with its app's access`(_ status: AuthorizationStatus) throws {
    let world = try World()
    let app = try world.app(.allow)
    let asked = try ask(world, app)
    _ = try world.set(app, status, by: status == .restricted ? world.root : nil)
    #expect(code(asked) == .photos(.operationInterrupted) && world.anna.deletions.waiting.isEmpty)
  }

  @Test func `R153 a question ends with its connection, and when the library lets no app delete`() throws {
    let world = try World()
    let app = try world.app(.allow)
    _ = try ask(world, app)
    app.close()
    #expect(world.anna.deletions.waiting.isEmpty)
    let other = try world.app(.allow)
    let asked = try ask(world, other)
    _ = try done { world.anna.rights.allowDeletions(world.photos, false, completion: $0) }
    #expect(code(asked) == .photos(.operationInterrupted))
  }

  @Test func `R153 a photo that changed while its person was asked is not deleted`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let asked = try ask(world, app)
    try world.mark([2], favourite: true)
    try answer(world, true)
    #expect(code(asked) == .photos(.operationInterrupted))
  }

  @Test func `R153 refusals in a row pause an app's questions`() throws {
    let world = try World()
    let app = try world.app(.allow)
    for _ in 0..<BrokerLimits.dismissalsPerApp {
      _ = try ask(world, app)
      try answer(world, false)
    }
    #expect(Self.failure { try ask(world, app) } == .photos(.limitExceeded))
  }

  @Test func `R153 the questions of a user's apps and their photos are bounded`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let many = [Int](repeating: 1, count: BrokerLimits.picked + 1)
    #expect(Self.failure { try ask(world, app, many) } == .photos(.limitExceeded))
    for _ in 0..<BrokerLimits.promptsPerUser { _ = try ask(world, app) }
    #expect(Self.failure { try ask(world, app) } == .photos(.limitExceeded))
  }

  private static func failure<Value>(_ body: () throws -> Value) -> BrokerError.Code? {
    do { _ = try body() } catch { return (error as? BrokerError)?.code }
    return nil
  }
}
