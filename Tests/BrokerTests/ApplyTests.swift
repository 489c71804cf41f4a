import Broker
import Catalogue
import Limits
import Macaroons
import PhotoModel
import Testing

/// A file of decisions is applied in one commit, or not at all.
@Suite struct ApplyTests {
  private func entry(
    _ world: World, _ app: Session, _ status: AuthorizationStatus?, adding: [Int]? = nil, replaces: Bool = false
  )
    -> GrantEntry
  {
    GrantEntry(
      key: world.key(app), settings: GrantSettings(status: status), adding: adding.map { world.selection($0) },
      replaces: replaces)
  }

  @Test func `several grants and a rule are one commit, and a preview is none`() throws {
    let world = try World()
    let apps = try [
      world.app(.select, selecting: [1, 2]), world.app(.allow, manifest: .test("org.example.b")),
      world.app(.test("org.example.c")),
    ]
    let entries = [
      entry(world, apps[0], nil, adding: [3], replaces: true), entry(world, apps[1], .denied),
      entry(world, apps[2], .limited, adding: [4, 5]),
    ]
    let rule = RuleRecord(
      library: world.photos, name: "r", identifier: nil, uid: 5, level: .readWrite, answer: .deny, author: 0,
      role: .owner,
      made: Timestamp(microseconds: 0))
    let commits = world.store.commits
    let preview = try done { world.anna.batch.apply(entries, rules: [rule], preview: true, completion: $0) }.0
    #expect(world.store.commits == commits)
    #expect(try world.fetch(apps[0]) == [1, 2])
    let (outcomes, receipt) = try done { world.anna.batch.apply(entries, rules: [rule], completion: $0) }
    #expect(world.store.commits == commits + 1)
    for (a, b) in zip(preview, outcomes) {
      #expect(
        a.added == b.added && a.removed == b.removed && a.after.status == b.after.status
          && a.after.selected == b.after.selected)
      #expect(a.after.visible == b.after.visible)
      #expect(a.before?.status == b.before?.status)
    }
    #expect(outcomes.map(\.after.selected) == [1, 0, 2] && outcomes[2].before == nil)
    #expect(receipt.grants == 2)
    #expect(try world.fetch(apps[0]) == [3])
    #expect(try apps[1].status(.readWrite) == .denied)
    #expect(try world.anna.grants.list().allSatisfy { $0.record.source == .file })
    #expect(try world.anna.rules.list().count == 1)
    try world.restart()
    #expect(try world.anna.grants.list().map(\.selected).sorted() == [0, 1, 2])
  }

  @Test(arguments: [false, true])
  func `an application leaves nothing in memory, whatever happens to its apps`(_ isRemoved: Bool) throws {
    final class Witness {}
    let world = try World()
    let apps = try [world.app(.select, selecting: [1, 2]), world.app(.allow, manifest: .test("org.example.b"))]
    weak var witness: Witness?
    func apply() {
      let held = Witness()
      witness = held
      world.store.isDeferred = true
      let entries = [entry(world, apps[0], nil, adding: [3]), entry(world, apps[1], .denied)]
      world.anna.batch.apply(entries, rules: []) { _ in withExtendedLifetime(held) {} }
      world.anna.batch.apply(entries, rules: []) { _ in withExtendedLifetime(held) {} }
      if isRemoved { world.root.apps.remove(apps[1].app!.identifier) { _ in } }
    }
    apply()
    #expect(witness != nil, "the disk does not have it yet")
    world.store.completeAll()
    #expect(witness == nil)
  }

  @Test func `a file of rules alone answers once, after the disk has them`() throws {
    let world = try World()
    let rule = RuleRecord(
      library: world.photos, name: "r", identifier: nil, uid: 5, level: .readWrite, answer: .allow, author: 0,
      role: .owner,
      made: Timestamp(microseconds: 0))
    world.store.isDeferred = true
    var answers: [Result<([EntryOutcome], Receipt), BrokerError>] = []
    world.anna.batch.apply([], rules: [rule]) { answers.append($0) }
    #expect(try answers.isEmpty && world.anna.rules.list().isEmpty)
    world.store.completeAll()
    #expect(try answers.count == 1 && world.anna.rules.list().count == 1)
    _ = try answers[0].get()
  }

  @Test func `a redundant file is no decision, and one that the disk refused can be repeated`() throws {
    let world = try World()
    let apps = try [world.app(.select, selecting: [1, 2]), world.app(.test("org.example.b"))]
    apps[1].requestAuthorization(level: .readWrite) { _ in }
    let rule = RuleRecord(
      library: world.photos, name: "r", identifier: nil, uid: World.appUser, level: .readWrite, answer: .deny,
      author: 0, role: .owner,
      made: Timestamp(microseconds: 0))
    let entries = [entry(world, apps[0], .limited, adding: [3], replaces: true)]
    func apply() throws -> Receipt { try done { world.anna.batch.apply(entries, rules: [rule], completion: $0) }.1 }

    let first = world.anna.rules.effects(ofMaking: [rule])
    #expect(first.count == 1 && first[0].before == nil && first[0].isNews && first[0].answers == 1)
    #expect(try apply().decisions.count == 2)
    #expect(try apps[1].status(.readWrite) == .denied)
    world.environment.advance(.seconds(60))
    let commits = world.store.commits
    #expect(try apply().decisions.isEmpty && world.store.commits == commits)
    let again = world.anna.rules.effects(ofMaking: [rule])
    #expect(again[0].before == (try world.anna.rules.list()[0]) && !again[0].isNews && again[0].answers == 0)

    // A restriction whose commit failed is written when the file is applied again.
    let denial = [entry(world, apps[0], .denied)]
    var other = rule
    other.level = .addOnly
    world.store.refusals = 1
    #expect(code { try done { world.anna.batch.apply(denial, rules: [other], completion: $0) } } == .failed)
    #expect(try done { world.anna.batch.apply(denial, rules: [other], completion: $0) }.1.decisions.count == 2)
    #expect(try done { world.anna.batch.apply(denial, rules: [other], completion: $0) }.1.decisions.isEmpty)
    try world.restart()
    #expect(try world.anna.rules.list().map(\.level) == [.addOnly])
    #expect(
      try world.anna.grants.list().contains { $0.record.key == world.key(apps[0]) && $0.record.status == .denied })
  }

  @Test
  func `grants wait for the commit, revocations do not, and a refusing disk grants nothing`()
    throws
  {
    let world = try World()
    let apps = try [
      world.app(.select, selecting: [1, 2]), world.app(.select, selecting: [1], manifest: .test("org.example.b")),
    ]
    world.store.isDeferred = true
    var result: Result<([EntryOutcome], Receipt), BrokerError>?
    world.anna.batch.apply([entry(world, apps[0], .denied), entry(world, apps[1], .authorized)]) { result = $0 }
    #expect(world.store.pending == 1 && result == nil)
    #expect(code { try apps[0].authorize(.read) } == .photos(.accessUserDenied))
    #expect(try world.fetch(apps[1]) == [1])
    world.store.refusals = 1
    world.store.complete()
    #expect(code { _ = try result?.get() } == .failed)
    #expect(try world.fetch(apps[1]) == [1])
    #expect(
      code { try apps[0].authorize(.read) } == .photos(.accessUserDenied),
      "what was taken away stays away until the restart")
  }

  @Test func `a batch waits for pending writes, and two batches never wait for each other`() throws {
    let world = try World()
    let apps = try [
      world.app(.select, selecting: [1]), world.app(.select, selecting: [1], manifest: .test("org.example.b")),
    ]
    world.store.isDeferred = true
    var order: [Int] = []
    world.anna.grants.set(
      library: world.photos, app: apps[1].app!.identifier, level: .readWrite, GrantSettings(albumPolicy: "none")
    ) { _ in
      order.append(0)
    }
    world.anna.batch.apply([entry(world, apps[0], nil, adding: [2]), entry(world, apps[1], nil, adding: [2])]) { _ in
      order.append(1)
    }
    world.anna.batch.apply([entry(world, apps[1], nil, adding: [3]), entry(world, apps[0], nil, adding: [3])]) { _ in
      order.append(2)
    }
    world.anna.selections.edit(
      library: world.photos, app: apps[0].app!.identifier, adding: world.selection([4]), removing: nil
    ) { _ in
      order.append(3)
    }
    while world.store.pending > 0 { world.store.complete() }
    #expect(order == [0, 1, 2, 3])
    #expect(try world.fetch(apps[0]) == [1, 2, 3, 4])
    #expect(try world.fetch(apps[1]) == [1, 2, 3])
  }

  @Test(arguments: [true, false])
  func `an app forgotten while a batch waits blocks nothing and gets nothing`(whileWaiting: Bool)
    throws
  {
    let world = try World()
    let apps = try [
      world.app(.select, selecting: [1]), world.app(.select, selecting: [1], manifest: .test("org.example.b")),
    ]
    world.store.isDeferred = true
    if whileWaiting {
      world.anna.grants.set(
        library: world.photos, app: apps[0].app!.identifier, level: .readWrite, GrantSettings(albumPolicy: "none")
      ) { _ in
      }
    }
    var answers = 0
    world.anna.batch.apply([entry(world, apps[0], nil, adding: [2]), entry(world, apps[1], nil, adding: [2])]) { _ in
      answers += 1
    }
    world.anna.apps.remove(apps[1].app!.identifier) { _ in }
    var later = false
    world.anna.selections.edit(
      library: world.photos, app: apps[0].app!.identifier, adding: world.selection([5]), removing: nil
    ) {
      later = (try? $0.get()) != nil
    }
    while world.store.pending > 0 { world.store.complete() }
    #expect(answers == 1 && later)
    #expect(try world.fetch(apps[0]).contains(5))
    if whileWaiting { #expect(try world.fetch(apps[0]) == [1, 5]) }
  }

  @Test func `an invalid entry is named, and nothing of the file is applied`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1])
    let other = try world.app(.allow, manifest: .test("org.example.b"))
    func failure(_ second: GrantEntry, by admin: AdminSession) -> BrokerError? {
      do { _ = try done { admin.batch.apply([entry(world, app, .denied), second], completion: $0) } } catch {
        return error as? BrokerError
      }
      return nil
    }
    for bad in [
      entry(world, app, .limited), entry(world, other, nil), entry(world, other, nil, adding: [1]),
      entry(world, other, .restricted),
    ] {
      let error = failure(bad, by: world.anna)
      #expect(error?.code == .refused && error?.message.hasPrefix("Entry 2: ") == true)
    }
    var foreign = entry(world, other, .denied)
    foreign.key.library = world.holidays
    #expect(failure(foreign, by: world.anna)?.code == .notFound(what: "library"))
    #expect(failure(entry(world, other, .denied), by: world.root)?.code == .notPermitted)
    #expect(code { try done { world.anna.batch.apply([], completion: $0) } } == .refused)
    #expect(
      code {
        try done {
          world.anna.batch.apply(
            Array(repeating: entry(world, app, .denied), count: BrokerLimits.decisionsPerFile + 1), completion: $0)
        }
      } == .refused)
    #expect(try world.fetch(app) == [1])
  }

  /// Checks that a preview equals the result of applying, and returns it.
  private func applied(_ world: World, _ entries: [GrantEntry], by admin: AdminSession? = nil) throws -> [EntryOutcome]
  {
    let admin = admin ?? world.anna
    let preview = try done { admin.batch.apply(entries, preview: true, completion: $0) }.0
    let outcomes = try done { admin.batch.apply(entries, completion: $0) }.0
    for (a, b) in zip(preview, outcomes) {
      #expect(a.added == b.added && a.removed == b.removed && a.before?.status == b.before?.status)
      #expect(
        a.after.status == b.after.status && a.after.selected == b.after.selected && a.after.visible == b.after.visible)
      #expect(
        a.after.record.isPaused == b.after.record.isPaused && a.after.record.albumPolicy == b.after.record.albumPolicy)
    }
    return outcomes
  }

  @Test
  func
    `R43 what an app added joins with the first decision in a preview too, and stays where the file is applied again`()
    throws
  {
    let world = try World()
    let app = try world.app(.allow, .addOnly)
    let own = try Int(world.create(app.authorize(.add), world.photo("own.jpg")).rawValue)
    let file = [entry(world, app, .limited, adding: [2], replaces: true)]
    #expect(try applied(world, file)[0].added.map { Int($0.rawValue) } == [2, own])
    #expect(try applied(world, file)[0].removed.isEmpty)
    func selected() throws -> [Int] {
      try world.anna.grants.list().filter { $0.record.key.level == .readWrite }.map(\.selected)
    }
    #expect(try selected() == [2])
    // Applying again does not restore a removed asset.
    _ = try world.edit(app, remove: [own])
    #expect(try applied(world, file)[0].added.isEmpty)
    #expect(try selected() == [1])
  }

  @Test func `R43 a prompt counts the app's own additions, which join any selection`() throws {
    let world = try World()
    let app = try world.app(.allow, .addOnly)
    let own = try (0..<3).map { Int(try world.create(app.authorize(.add), world.photo("own \($0).jpg")).rawValue) }
    try world.mark([own[2]], neverShare: true)
    app.requestAuthorization(level: .readWrite) { _ in }
    #expect(world.anna.prompts.views(language: nil).map(\.joining) == [2])
    try world.answer(.select, selecting: [1])
    #expect(try world.fetch(app) == [1, own[0], own[1]])
    // A present selection is kept as it is, and nothing joins it.
    _ = try world.edit(app, remove: [own[0]])
    app.presentLimitedLibraryPicker { _ in }
    #expect(world.anna.prompts.views(language: nil).map(\.joining) == [0])
  }

  @Test func `a preview of forgetting and of restricting paused access shows the result`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    var forget = entry(world, app, .notDetermined)
    forget.settings.albumPolicy = "none"
    #expect(try applied(world, [forget])[0].removed.count == 2)
    _ = try world.set(app, .limited)
    #expect(try world.anna.grants.list().map(\.record.albumPolicy) == ["own"])
    _ = try done { world.anna.grants.pause(RevocationScope(everything: true), paused: true, completion: $0) }
    #expect(try applied(world, [entry(world, app, .restricted)], by: world.root)[0].after.status == .restricted)
  }

  @Test func `R130 an administrator's file restricts several grants together and gives none`() throws {
    let world = try World()
    let apps = try [world.app(.allow), world.app(.allow, manifest: .test("org.example.b"))]
    #expect(
      code { try done { world.root.batch.apply([self.entry(world, apps[0], .limited, adding: [1])], completion: $0) } }
        == .notPermitted)
    let outcomes = try done { world.root.batch.apply(apps.map { self.entry(world, $0, .restricted) }, completion: $0) }
      .0
    #expect(outcomes.map(\.after.status) == [.restricted, .restricted])
    #expect(
      code {
        try done { world.root.batch.apply([self.entry(world, apps[0], .authorized)], preview: true, completion: $0) }
      }
        == .notPermitted)
    // A rule of a refused file is not in force.
    let rule = RuleRecord(
      library: world.photos, name: "r", identifier: nil, uid: 5, level: .readWrite, answer: .restrict, author: 0,
      role: .owner,
      made: Timestamp(microseconds: 0))
    #expect(
      code {
        try done { world.root.batch.apply([self.entry(world, apps[0], .authorized)], rules: [rule], completion: $0) }
      }
        == .notPermitted)
    #expect(world.broker.rules(in: world.photos).isEmpty)
  }
}
