import Broker
import Catalogue
import Limits
import Macaroons
import PhotoModel
import Testing

/// Rules answer prompts, and are recorded as the origin (R8, R131).
@Suite struct RuleTests {
  private func rule(
    _ world: World, _ answer: RuleAnswer, _ name: String = "frames", identifier: String? = "org.example.frame",
    uid: UInt32 = World.appUser, level: AccessLevel = .readWrite, system: String? = nil, policy: String? = nil,
    lifetime: Int64? = nil
  ) -> RuleRecord {
    RuleRecord(
      library: world.photos, name: name, identifier: identifier, uid: uid, systemIdentity: system, level: level,
      answer: answer,
      selectors: answer == .select ? [RuleSelector(favourite: true)] : [], albumPolicy: policy,
      lifetimeSeconds: lifetime, author: 9,
      role: .app, made: Timestamp(microseconds: 0))
  }

  private func make(_ world: World, _ rules: RuleRecord..., by admin: AdminSession? = nil) throws {
    _ = try done { (admin ?? world.anna).batch.apply([], rules: rules, completion: $0) }
  }

  @Test func `R8 a rule answers at once, and the grant names it`() throws {
    let world = try World()
    try make(world, rule(world, .select, policy: "none", lifetime: 60))
    world.delegate.ruleSelection = world.selection([2, 5])
    let app = try world.app()
    #expect(try done { app.requestAuthorization(level: .readWrite, completion: $0) }.status == .limited)
    #expect(try world.fetch(app) == [2, 5])
    let grant = try #require(try world.anna.grants.list().first?.record)
    #expect((grant.source, grant.role, grant.decider, grant.origin) == (.rule, .rule, World.anna, "frames"))
    #expect(grant.agreement == nil && world.store.log.last?.words == nil, "nobody read what the app says")
    #expect(grant.albumPolicy == "none" && grant.expires == world.environment.now.advanced(by: .seconds(60)))
    #expect(world.delegate.promptsChanged.isEmpty && world.store.contents.prompts.isEmpty)
    world.environment.advance(.seconds(61))
    #expect(try app.status(.readWrite) == .notDetermined)
  }

  @Test(arguments: ["turned", "moved", "denies"])
  func `R144 a revoking rule takes effect at once, and an older state is recognized`(kind: String) throws {
    let world = try World()
    try make(world, rule(world, .allow, identifier: nil))
    let floor = world.store.contents.settings[SettingName.epochFloor].flatMap(UInt64.init) ?? 0
    let asking = try world.app(.test("org.example.b"))
    world.store.isDeferred = true
    let other =
      switch kind {
      case "turned": rule(world, .deny, identifier: nil)
      case "moved": rule(world, .allow, identifier: nil, uid: World.appUser + 1)
      default: rule(world, .deny, "a-first", identifier: nil)
      }
    world.anna.batch.apply([], rules: [other]) { _ in }
    var status: AuthorizationStatus?
    asking.requestAuthorization(level: .readWrite) { status = (try? $0.get())?.status }
    #expect(status != .authorized)
    world.store.completeAll()
    let now = world.store.contents.settings[SettingName.epochFloor].flatMap(UInt64.init) ?? 0
    #expect(now > floor)
  }

  @Test(arguments: [true, false])
  func `R136 a policy in a rule's pending answer is in use, even if the rule is removed`(isSelecting: Bool) throws {
    let world = try World()
    try make(world, rule(world, .select, policy: "family"))
    #expect(world.broker.albumPolicies(in: world.photos) == ["family"])
    let app = try world.app()
    world.delegate.ruleSelection = world.selection([2])
    var select: (() -> Void)?
    if isSelecting { world.delegate.onSelect = { select = $0 } }
    world.store.isDeferred = true
    var answer: AuthorizationStatus?
    app.requestAuthorization(level: .readWrite) { answer = (try? $0.get())?.status }
    world.anna.rules.remove("frames", of: world.photos) { _ in }
    #expect(
      world.broker.rules(in: world.photos).isEmpty && answer == nil && world.broker.grants(in: world.photos).isEmpty)
    #expect(world.broker.albumPolicies(in: world.photos).contains("family"))
    if isSelecting {
      // A removed rule gives nothing, even if its selection is still being resolved.
      select?()
      world.store.completeAll()
      #expect(
        answer == nil && world.broker.grants(in: world.photos).isEmpty
          && world.broker.albumPolicies(in: world.photos).isEmpty)
      return
    }
    world.store.completeAll()
    #expect(answer == .limited)
    #expect(try world.anna.grants.list().map(\.record.albumPolicy) == ["family"])
    #expect(world.broker.albumPolicies(in: world.photos) == ["family"])
  }

  @Test func `R8 a rule answers a polling app as well`() throws {
    let world = try World()
    try make(world, rule(world, .allow))
    let app = try world.app()
    #expect(try done { app.requestAuthorization(level: .readWrite, wait: false, completion: $0) }.status == .authorized)
  }

  @Test
  func `R4 R130 owners' rules deny, administrators' rules restrict and come first, and owners remove both`()
    throws
  {
    let world = try World()
    try make(world, rule(world, .deny))
    #expect(code { try make(world, rule(world, .restrict, "a")) } == .notPermitted)
    #expect(code { try make(world, rule(world, .allow, "z"), by: world.root) } == .notPermitted)
    let (denied, restricted) = (try world.app(), try world.app())
    #expect(try done { denied.requestAuthorization(level: .readWrite, completion: $0) }.status == .denied)
    try make(world, rule(world, .restrict, "z"), by: world.root)
    #expect(try done { restricted.requestAuthorization(level: .readWrite, completion: $0) }.status == .restricted)
    #expect(code { try done { world.root.rules.remove("frames", of: world.photos, completion: $0) } } == .notPermitted)
    _ = try done { world.anna.rules.remove("z", of: world.photos, completion: $0) }
    #expect(try world.anna.rules.list().map(\.name) == ["frames"])
    try make(world, rule(world, .restrict, "z"), by: world.root)
    _ = try done { world.root.rules.remove("z", of: world.photos, completion: $0) }
    #expect(try world.anna.rules.list().map(\.name) == ["frames"])
  }

  /// Ways in which a rule's author loses the right to decide.
  enum Loss: CaseIterable { case removal, declining, decliningAll, administratorsRight, administratorsName }

  /// Removes or restores a user's right to decide in Anna's library.
  private func set(_ loss: Loss, _ decides: Bool, of author: UInt32, in world: World) throws {
    let (anna, session) = (world.anna, world.admin(author))
    switch loss {
    case .removal:
      _ = try done { anna.rights.delegate(world.photos, Delegation(coOwners: decides ? [author] : []), completion: $0) }
      if decides { try world.accept(world.photos, by: author) }
    case .declining:
      _ = try done { session.offers.answer(world.photos, .all(decides ? .accepted : .declined), completion: $0) }
    case .decliningAll: _ = try done { session.offers.answerAll(from: World.anna, accepts: decides, completion: $0) }
    case .administratorsRight:
      _ = try done { anna.rights.delegate(world.photos, Delegation(administratorsDecide: decides), completion: $0) }
    case .administratorsName: try done { world.root.administrators.set(decides ? [author] : [], completion: $0) }
    }
  }

  /// A user who decides in Anna's library and may lose that right.
  private func author(_ loss: Loss, in world: World) throws -> UInt32 {
    if loss == .administratorsRight || loss == .administratorsName {
      try set(.administratorsName, true, of: 4_000, in: world)
      try set(.administratorsRight, true, of: 4_000, in: world)
      return 4_000
    }
    try set(.removal, true, of: World.bert, in: world)
    return World.bert
  }

  @Test(arguments: Loss.allCases)
  func `R8 R126 R130 a rule is suspended while its author does not decide there, and later answers waiting prompts`(
    _ loss: Loss
  ) throws {
    let world = try World()
    let author = try author(loss, in: world)
    try make(world, rule(world, .allow), by: world.admin(author))
    func ask() throws -> Box<AuthorizationStatus> {
      let answer = Box<AuthorizationStatus>()
      let app = try world.app()
      app.requestAuthorization(level: .readWrite) { answer.value = (try? $0.get())?.status }
      return answer
    }
    let first = try ask()
    #expect(first.value == .authorized)
    try set(loss, false, of: author, in: world)
    for _ in 0..<2 {
      #expect(world.broker.rules(in: world.photos).map { world.broker.ruleEngine.holds($0) } == [false])
      try world.restart()
    }
    let second = try ask()
    #expect(second.value == nil && world.anna.prompts.views(language: nil).count == 1)
    try set(loss, true, of: author, in: world)
    #expect(second.value == .authorized && world.anna.prompts.views(language: nil).isEmpty)
  }

  @Test
  func `R8 R126 a rule whose author is no longer a co-owner after selecting leaves the prompt to a person`()
    throws
  {
    let world = try World()
    let author = try author(.removal, in: world)
    try make(world, rule(world, .select), by: world.admin(author))
    world.delegate.ruleSelection = world.selection([2])
    var select: (() -> Void)?
    world.delegate.onSelect = { select = $0 }
    let app = try world.app()
    app.requestAuthorization(level: .readWrite) { _ in }
    try set(.removal, false, of: author, in: world)
    select?()
    #expect(try app.status(.readWrite) == .notDetermined && world.anna.prompts.views(language: nil).count == 1)
  }

  @Test(arguments: ["removed", "narrowed", "allowing", "denied first"])
  func `R8 R144 a rule replaced while it selects does not answer, and its successor does`(
    kind: String
  ) throws {
    let world = try World()
    try make(world, rule(world, .select))
    world.delegate.ruleSelection = world.selection([2, 5])
    var selects: [() -> Void] = []
    world.delegate.onSelect = { selects.append($0) }
    let app = try world.app()
    app.requestAuthorization(level: .readWrite) { _ in }
    var other = rule(world, .select)
    other.selectors = [RuleSelector(last: 1)]
    switch kind {
    case "removed": _ = try done { world.anna.rules.remove("frames", of: world.photos, completion: $0) }
    case "narrowed": try make(world, other)
    case "allowing": try make(world, rule(world, .allow))
    default: try make(world, rule(world, .deny, "a-first"))
    }
    world.delegate.ruleSelection = world.selection([5])
    selects[0]()
    switch kind {
    case "removed":
      #expect(try app.status(.readWrite) == .notDetermined && world.anna.prompts.views(language: nil).count == 1)
    case "narrowed":
      #expect(try app.status(.readWrite) == .notDetermined && selects.count == 2)
      selects[1]()
      #expect(try world.fetch(app) == [5])
    case "allowing": #expect(try app.status(.readWrite) == .authorized)
    default: #expect(try app.status(.readWrite) == .denied)
    }
  }

  @Test func `R8 R130 a suspended rule is renewed by an owner, and a restricting one stays whoever made it`()
    throws
  {
    let world = try World()
    let author = try author(.administratorsName, in: world)
    try make(
      world, rule(world, .allow), rule(world, .restrict, "no", identifier: "org.example.no"), by: world.admin(author))
    #expect(world.anna.rules.effects(ofMaking: [rule(world, .allow)]).map(\.isNews) == [false])
    try set(.administratorsName, false, of: author, in: world)
    #expect(world.broker.rules(in: world.photos).map { world.broker.ruleEngine.holds($0) } == [true, false])
    let restricted = try world.app(.test("org.example.no"))
    #expect(try done { restricted.requestAuthorization(level: .readWrite, completion: $0) }.status == .restricted)
    #expect(world.anna.rules.effects(ofMaking: [rule(world, .allow)]).map(\.isNews) == [true])
    try make(world, rule(world, .allow))
    #expect(world.broker.rules(in: world.photos).map(\.author) == [author, World.anna])
    let app = try world.app()
    #expect(try done { app.requestAuthorization(level: .readWrite, completion: $0) }.status == .authorized)
  }

  @Test(arguments: ["revoke", "restrict", "pause", "limit", "end", "forget", "undo"], [nil, "org.example.frame"])
  func `R130 R132 a rule is suspended once a person gave its app less`(kind: String, identifier: String?) throws {
    let world = try World()
    try make(world, rule(world, .allow, identifier: identifier))
    let app = try world.app()
    #expect(try done { app.requestAuthorization(level: .readWrite, completion: $0) }.status == .authorized)
    let key = GrantKey(library: world.photos, app: try #require(app.app).identifier, level: .readWrite)
    world.environment.advance(.seconds(1))
    switch kind {
    case "revoke": _ = try done { world.anna.grants.revoke(RevocationScope(everything: true), completion: $0) }
    case "restrict": _ = try done { world.root.grants.revoke(RevocationScope(app: key.app), completion: $0) }
    case "pause":
      _ = try done { world.anna.grants.pause(RevocationScope(library: world.photos), paused: true, completion: $0) }
    case "limit":
      _ = try done {
        world.anna.grants.set(
          library: key.library, app: key.app, level: key.level, GrantSettings(status: .limited), completion: $0)
      }
    default:
      let end = world.environment.now.advanced(by: .seconds(5))
      _ = try done {
        world.anna.grants.set(
          library: key.library, app: key.app, level: key.level, GrantSettings(end: .at(end)), completion: $0)
      }
      world.environment.advance(.seconds(6))
      _ = world.broker.expiry.runDue()
    }
    // The program comes without its token, and under another name if the rule allows any.
    let again = try world.app(identifier == nil ? .test("org.example.other") : .test())
    var status: AuthorizationStatus?
    again.requestAuthorization(level: .readWrite) { status = (try? $0.get())?.status }
    #expect(status == nil && world.anna.prompts.views(language: nil).count == 1, "a person is asked")
    let kept = try #require(world.broker.rules(in: world.photos).first)
    #expect(!world.broker.ruleEngine.holds(kept) && world.broker.ruleEngine.hasAuthority(kept))
    #expect(world.broker.ruleEngine.contradiction(of: kept)?.identifier == key.app)
    // Its user cannot have the decision forgotten, which would let the rule answer again.
    #expect(code { try done { world.admin(World.appUser).apps.remove(key.app, completion: $0) } } == .refused)
    // A rule made again counts anew.
    #expect(world.anna.rules.effects(ofMaking: [rule(world, .allow, identifier: identifier)]).map(\.isNews) == [true])
    world.environment.advance(.seconds(1))
    try make(world, rule(world, .allow, identifier: identifier))
    #expect(status == .authorized)
    #expect(world.anna.rules.effects(ofMaking: [rule(world, .allow, identifier: identifier)]).map(\.isNews) == [false])
  }

  @Test(arguments: ["before", "other level", "by a rule", "by a rule's end", "other app"])
  func `R8 a rule continues unless a person gave less since`(kind: String) throws {
    let world = try World()
    if kind == "before" {
      _ = try world.app(.deny)
      world.environment.advance(.seconds(1))
    }
    try make(
      world, rule(world, .allow, lifetime: kind == "by a rule's end" ? 5 : nil),
      rule(world, .deny, "deny", level: .addOnly))
    let first = try world.app()
    world.environment.advance(.seconds(1))
    switch kind {
    case "other level":
      #expect(try done { first.requestAuthorization(level: .addOnly, completion: $0) }.status == .denied)
    case "by a rule":
      try make(world, rule(world, .deny))
      #expect(try done { first.requestAuthorization(level: .readWrite, completion: $0) }.status == .denied)
      world.environment.advance(.seconds(1))
      try make(world, rule(world, .allow))
    case "by a rule's end":
      #expect(try done { first.requestAuthorization(level: .readWrite, completion: $0) }.status == .authorized)
      world.environment.advance(.seconds(6))
      _ = world.broker.expiry.runDue()
    case "other app": _ = try world.app(.deny, manifest: .test("org.example.other"))
    default: break
    }
    let app = try world.app()
    #expect(try done { app.requestAuthorization(level: .readWrite, completion: $0) }.status == .authorized)
  }

  @Test func `R138 a rule matches its user, level, name and identity`() throws {
    let world = try World()
    try make(
      world, rule(world, .allow, "other-name", identifier: "org.example.other"),
      rule(world, .allow, "other-user", uid: World.anna),
      rule(world, .allow, "other-level", level: .addOnly), rule(world, .allow, "vouched", system: "unit:frame.service"))
    let app = try world.app()
    app.requestAuthorization(level: .readWrite) { _ in }
    #expect(world.anna.prompts.views(language: nil).count == 1)
    let vouched = world.connect(system: "unit:frame.service")
    _ = try done { vouched.introduce(.test(), completion: $0) }
    #expect(try done { vouched.requestAuthorization(level: .readWrite, completion: $0) }.status == .authorized)
  }

  @Test func `R53 a keep rule answers the life-cycle prompt, and a selecting rule does not`() throws {
    let world = try World()
    try make(world, rule(world, .select, "select"))
    let app = try world.nextRun(
      of: world.app(.select, selecting: [1], manifest: .test("org.example.other")))
    _ = try world.fetch(app)
    world.broker.promptService.didFetch(try app.authorize(.read))
    #expect(world.anna.prompts.views(language: nil).map(\.prompt.kind) == [.keepSelection])
    // The rule is made while the prompt is pending.
    try make(world, rule(world, .keep, "keep", identifier: nil))
    #expect(world.anna.prompts.views(language: nil).isEmpty && world.store.contents.prompts.isEmpty)
    #expect(try world.fetch(app) == [1])
  }

  @Test func `a new rule answers waiting prompts and notifies waiting apps`() throws {
    let world = try World()
    let app = try world.app()
    var status: AuthorizationStatus?
    app.requestAuthorization(level: .readWrite) { status = (try? $0.get())?.status }
    #expect(status == nil && world.store.contents.prompts.count == 1)
    try make(world, rule(world, .allow))
    #expect(status == .authorized && world.store.contents.prompts.isEmpty)
  }

  @Test func `a rule that cannot choose or be written leaves the prompt to a person`() throws {
    let world = try World()
    try make(world, rule(world, .select))
    let app = try world.app()
    app.requestAuthorization(level: .readWrite) { _ in }
    #expect(world.anna.prompts.views(language: nil).count == 1 && world.store.contents.prompts.count == 1)
    let other = try world.app(.test("org.example.frame"))
    world.delegate.ruleSelection = world.selection([1])
    world.store.refusals = 1
    other.requestAuthorization(level: .readWrite) { _ in }
    #expect(world.anna.prompts.views(language: nil).count == 2)
    try world.answer(.deny)
  }

  @Test func `a rule answers during a backoff too`() throws {
    let world = try World()
    for _ in 0..<BrokerLimits.denialsPerApp { _ = try world.app(.deny) }
    let app = try world.app()
    #expect(
      code { try done { app.requestAuthorization(level: .readWrite, completion: $0) } } == .photos(.limitExceeded))
    try make(world, rule(world, .allow))
    #expect(try done { app.requestAuthorization(level: .readWrite, completion: $0) }.status == .authorized)
  }

  @Test func `rules survive a restart and are removed with their library`() throws {
    let world = try World()
    try make(world, rule(world, .allow))
    try world.restart()
    #expect(try world.anna.rules.list().map(\.name) == ["frames"])
    #expect(try world.bert.rules.list().isEmpty)
    #expect(code { try world.bert.rules.list(library: world.photos) } == .notFound(what: "library"))
    _ = try done { world.anna.libraries.remove(world.photos, completion: $0) }
    #expect(world.store.contents.rules.isEmpty)
  }

  @Test func `invalid rules are refused, and so is one too many`() throws {
    let world = try World()
    var empty = rule(world, .select)
    empty.selectors = []
    var long = rule(world, .select)
    long.selectors = Array(repeating: RuleSelector(last: 1), count: BrokerLimits.selectorsPerRule + 1)
    var blank = rule(world, .select)
    blank.selectors = [RuleSelector()]
    for bad in [
      rule(world, .allow, "Not a name"), rule(world, .select, level: .addOnly), empty, long, blank,
      rule(world, .allow, lifetime: 0),
      rule(world, .allow, lifetime: BrokerLimits.ruleLifetimeSeconds + 1), rule(world, .allow, policy: "No such"),
    ] { #expect(code { try make(world, bad) } == .refused) }
    #expect(code { try make(world, rule(world, .allow), rule(world, .deny)) } == .refused)
    let many = (0...BrokerLimits.rulesPerLibrary).map { rule(world, .allow, "rule-\($0)") }
    #expect(code { try done { world.anna.batch.apply([], rules: many, completion: $0) } } == .refused)
    _ = try done { world.anna.batch.apply([], rules: many.dropLast(), completion: $0) }
    #expect(code { try make(world, many.last!) } == .refused)
    try make(world, many[0])
  }
}
