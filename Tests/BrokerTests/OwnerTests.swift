import Broker
import Catalogue
import Limits
import Macaroons
import PhotoModel
import Testing

@Suite struct OwnerTests {
  /// Every operation that names a library or an app, called with these.
  private func operations(
    _ admin: AdminSession, _ library: LibraryName, _ app: AppIdentifier
  ) -> [(String, () throws -> Void)] {
    [
      ("library", { _ = try admin.library(library) }),
      ("grants", { _ = try admin.grants.list(library: library) }),
      (
        "setGrant",
        {
          _ = try done {
            admin.grants.set(
              library: library, app: app, level: .readWrite, GrantSettings(status: .authorized), completion: $0)
          }
        }
      ),
      (
        "editSelection",
        {
          _ = try done { admin.selections.edit(library: library, app: app, adding: nil, removing: nil, completion: $0) }
        }
      ),
      (
        "pause",
        {
          _ = try done { admin.grants.pause(RevocationScope(library: library, app: app), paused: true, completion: $0) }
        }
      ),
      ("revoke", { _ = try done { admin.grants.revoke(RevocationScope(library: library), completion: $0) } }),
      (
        "mintToken",
        { _ = try done { admin.tokens.mint(library: library, app: app, level: .readWrite, completion: $0) } }
      ),
      ("tokens", { _ = try admin.tokens.list(library: library) }),
      (
        "decisions",
        { _ = try done { admin.decisions.list(library: library, DecisionQuery(limit: 10), completion: $0) } }
      ),
      ("offer", { _ = try done { admin.rights.offer(library, to: [], completion: $0) } }),
      ("removeLibrary", { _ = try done { admin.libraries.remove(library, completion: $0) } }),
    ]
  }

  enum Taking: CaseIterable { case revoke, everything, pause, forget, removeApp }

  @Test(arguments: Taking.allCases, [false, true])
  func `R4 R129 a revocation also ends access still being written`(
    _ taking: Taking, _ isAnswer: Bool
  ) throws {
    let world = try World()
    let app = try world.app()
    let identifier = try #require(app.app).identifier
    if isAnswer { app.requestAuthorization(level: .readWrite) { _ in } }
    world.store.isDeferred = true
    var told: [String] = []
    if isAnswer {
      let prompt = try #require(world.anna.prompts.views(language: nil).first).prompt
      world.anna.prompts.answer(prompt.identifier, .allow) { _ in told.append("given") }
    } else {
      let settings = GrantSettings(status: .authorized)
      world.anna.grants.set(library: world.photos, app: identifier, level: .readWrite, settings) { _ in
        told.append("given")
      }
    }
    let done = { (result: Result<Receipt, BrokerError>) in
      if case .failure(let error) = result { Issue.record(error) }
      told.append("taken")
    }
    switch taking {
    case .revoke: world.anna.grants.revoke(RevocationScope(app: identifier), completion: done)
    case .everything: world.anna.grants.revoke(RevocationScope(everything: true), completion: done)
    case .pause: world.anna.grants.pause(RevocationScope(library: world.photos), paused: true, completion: done)
    case .forget:
      let settings = GrantSettings(status: .notDetermined)
      world.anna.grants.set(library: world.photos, app: identifier, level: .readWrite, settings) { done($0.map(\.1)) }
    case .removeApp: world.anna.apps.remove(identifier, completion: done)
    }
    var reads = 0
    while world.store.hasWaiting {
      world.store.complete()
      if (try? app.authorize(.read)) != nil { reads += 1 }
    }
    #expect(told.contains("taken") && reads == 0, "not even between the two")
    world.store.isDeferred = false
    try world.restart()
    let grants = try world.anna.grants.list()
    #expect(grants.allSatisfy { !$0.record.status.grantsAccess || $0.record.isPaused })
    #expect((taking == .pause) == grants.contains { $0.record.isPaused })
  }

  @Test func `R130 every operation answers another owner's library like an absent one`() throws {
    let world = try World()
    let app = try world.app(.allow).app!.identifier
    let absent = LibraryName("absent")!
    for (foreign, unknown) in zip(operations(world.bert, world.photos, app), operations(world.bert, absent, app)) {
      let (a, b) = (failure(foreign.1), failure(unknown.1))
      #expect(a?.code == .notFound(what: "library"), "\(foreign.0)")
      #expect(a?.message == b?.message, "\(foreign.0)")
    }
    #expect(world.broker.libraries[world.photos] != nil)
    #expect(try world.anna.grants.list().count == 1)
  }

  @Test func `R130 another owner's app is answered like an absent one`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let unknown = AppIdentifier(high: 7, low: 7)
    let accessor = try app.authorize(.read).accessor
    for identifier in [app.app!.identifier, unknown] {
      #expect(code { try world.bert.app(identifier) } == .notFound(what: "app"))
      #expect(code { try world.bert.grants.list(app: identifier) } == .notFound(what: "app"))
      #expect(code { try done { world.bert.apps.remove(identifier, completion: $0) } } == .notFound(what: "app"))
      #expect(
        code { try done { world.bert.grants.revoke(RevocationScope(app: identifier), completion: $0) } }
          == .notFound(what: "app"))
      #expect(code { try world.bert.tokens.list(app: identifier) } == .notFound(what: "app"))
      #expect(
        code {
          try done {
            world.bert.grants.pause(
              RevocationScope(library: world.holidays, app: identifier), paused: true, completion: $0)
          }
        }
          == .notFound(what: "app"))
    }
    for accessor in [accessor, Accessor(high: 1, low: 1)] {
      #expect(code { try done { world.bert.tokens.revoke(accessor, completion: $0) } } == .notFound(what: "token"))
    }
    _ = try done { world.bert.grants.revoke(RevocationScope(everything: true), completion: $0) }
    #expect(world.bert.apps.list.isEmpty && world.anna.apps.list.count == 1)
    _ = try app.authorize(.read)
  }

  private func failure(_ body: () throws -> Void) -> BrokerError? {
    do { try body() } catch { return error as? BrokerError }
    return nil
  }

  @Test func `R130 an administrator restricts and pauses, and neither widens nor sees`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let identifier = app.app!.identifier
    let root = world.root
    func set(_ settings: GrantSettings) throws {
      _ = try done {
        root.grants.set(library: world.photos, app: identifier, level: .readWrite, settings, completion: $0)
      }
    }
    #expect(try root.grants.list().map(\.status) == [.authorized])
    let end = world.environment.now.advanced(by: .seconds(3600))
    try set(GrantSettings(end: .at(end)))
    #expect(code { try set(GrantSettings(end: .never)) } == .notPermitted)
    #expect(code { try set(GrantSettings(end: .at(end.advanced(by: .seconds(1))))) } == .notPermitted)
    try set(GrantSettings(status: .limited))
    #expect(try world.fetch(app) == [])
    #expect(code { try set(GrantSettings(status: .authorized)) } == .notPermitted)
    #expect(code { try set(GrantSettings(status: .notDetermined)) } == .notPermitted)
    #expect(code { try set(GrantSettings(albumPolicy: "full")) } == .notPermitted)
    try set(GrantSettings(albumPolicy: "none"))
    #expect(
      code {
        try done {
          root.selections.edit(library: world.photos, app: identifier, adding: nil, removing: nil, completion: $0)
        }
      }
        == .notPermitted)
    try set(GrantSettings(status: .restricted))
    #expect(code { try app.authorize(.read) } == .photos(.accessRestricted))
    #expect(code { try set(GrantSettings(status: .authorized)) } == .notPermitted)
    _ = try done { root.apps.remove(identifier, completion: $0) }
    #expect(try app.status(.readWrite) == .restricted)
    // The owner may lift an administrator's restriction (R131).
    _ = try world.set(app, .authorized)
    #expect(try app.status(.readWrite) == .authorized)
  }

  @Test func `R130 an administrator named by root counts as one, and only root names any`() throws {
    let world = try World()
    _ = try world.app(.allow)
    #expect(world.admin(3000).libraries.list.isEmpty)
    #expect(code { try done { world.anna.administrators.set([3000], completion: $0) } } == .notPermitted)
    _ = try done { world.root.administrators.set([3000], completion: $0) }
    try world.restart()
    #expect(world.admin(3000).libraries.list.count == 2)
    #expect(code { try done { world.admin(3000).libraries.remove(world.photos, completion: $0) } } == .notPermitted)
  }

  @Test func `R127 a library not offered to a user does not exist for their apps`() throws {
    let world = try World()
    let app = try world.app()
    #expect(app.libraries == [world.photos])
    for name in [world.holidays, LibraryName("absent")!] {
      #expect(code { try app.status(.readWrite, library: name) } == .photos(.identifierNotFound))
      #expect(code { try app.authorize(.read, library: name) } == .photos(.identifierNotFound))
      #expect(code { try app.describeAccess(.readWrite, library: name) } == .photos(.identifierNotFound))
      #expect(
        code { try done { app.requestAuthorization(level: .readWrite, library: name, completion: $0) } }
          == .photos(.identifierNotFound))
    }
    #expect(world.connect(uid: 4000).libraries.isEmpty)
    #expect(
      code {
        try done {
          world.bert.grants.set(
            library: world.holidays, app: app.app!.identifier, level: .readWrite, GrantSettings(status: .authorized),
            completion: $0)
        }
      } == .notFound(what: "app"))
  }

  @Test func `R127 the diagonal: two owners, three users, two libraries`() throws {
    let world = try World()
    _ = try done { world.bert.rights.offer(world.holidays, to: [2001], completion: $0) }
    try world.accept(world.holidays, by: 2001)
    let expected: [UInt32: [LibraryName]] = [
      World.appUser: [world.photos], 2001: [world.holidays], World.anna: [world.photos], World.bert: [world.holidays],
      2002: [],
    ]
    for (user, libraries) in expected { #expect(world.connect(uid: user).libraries == libraries) }
    let tokens = try [(World.appUser, world.photos, world.anna), (2001, world.holidays, world.bert)].map {
      user, name, owner in
      let app = try world.app(uid: user)
      _ = try done {
        owner.grants.set(
          library: name, app: app.app!.identifier, level: .readWrite, GrantSettings(status: .authorized), completion: $0
        )
      }
      return (user, try done { app.requestAuthorization(level: .readWrite, completion: $0) }.token!)
    }
    for (user, token) in tokens {
      for caller in [World.appUser, 2001, 2002] {
        #expect((code { try world.connect(uid: caller).attach(token) } == nil) == (caller == user))
      }
    }
  }

  @Test func `R131 every edit records author, time, origin, before and after`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    _ = try world.edit(app, add: [3], remove: [1])
    _ = try done {
      world.root.grants.pause(
        RevocationScope(library: world.photos, app: app.app!.identifier), paused: true, completion: $0)
    }
    _ = try done { world.anna.grants.revoke(RevocationScope(everything: true), completion: $0) }
    let decisions = try done { world.anna.decisions.list(library: nil, DecisionQuery(limit: 10), completion: $0) }
      .entries
      .map(\.record).filter {
        $0.app != nil
      }
    #expect(decisions.map(\.action) == ["revoke", "pause", "select", "select"])
    #expect(decisions.map(\.actor) == [World.anna, 0, World.anna, World.anna])
    #expect(decisions.map(\.role) == [.owner, .administrator, .owner, .owner])
    #expect(
      decisions.map(\.before) == [
        "limited, 2 selected, paused", "limited, 2 selected", "limited, 2 selected", "notDetermined",
      ])
    #expect(
      decisions.map(\.after) == ["denied", "limited, 2 selected, paused", "limited, 2 selected", "limited, 2 selected"])
    #expect(decisions.allSatisfy { $0.origin == "test" && $0.time == world.environment.now })
    let others = try done { world.bert.decisions.list(library: nil, DecisionQuery(limit: 10), completion: $0) }.entries
      .map(
        \.record)
    #expect(others.map(\.library) == [world.holidays], "of his own library only")
  }

  @Test
  func `R130 R131 a redundant setting is no decision and makes nobody its author`()
    throws
  {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    let known = try #require(try world.anna.grants.list().first).record
    let commits = world.store.commits
    for (settings, by) in [
      (GrantSettings(status: .limited), world.root), (GrantSettings(end: .never), world.root),
      (GrantSettings(albumPolicy: "own"), world.anna),
      (GrantSettings(status: .limited), world.anna),
    ] {
      let (view, receipt) = try done {
        by.grants.set(library: world.photos, app: app.app!.identifier, level: .readWrite, settings, completion: $0)
      }
      #expect(view.record.role == known.role && view.record.source == known.source && receipt.decisions.isEmpty)
    }
    #expect(try world.store.commits == commits && world.fetch(app) == [1, 2])
    // An owner who repeats another's decision takes it over.
    _ = try world.set(app, .restricted, by: world.root)
    #expect(try world.set(app, .restricted, by: world.root).decisions.isEmpty)
    #expect(try world.set(app, .denied).decisions.count == 1 && world.set(app, .denied).decisions.isEmpty)
    #expect(try world.set(app, .notDetermined).decisions.count == 1 && world.set(app, .notDetermined).decisions.isEmpty)
  }

  @Test func `R134 without a loss the receipt is empty`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    #expect(try world.fetch(app) == [1, 2])
    func told(_ status: AuthorizationStatus) throws -> Receipt {
      var receipt = try world.set(app, status)
      receipt.decisions = []
      return receipt
    }
    world.delegate.effect = NarrowingEffect(connections: 1)
    #expect(try told(.denied).effect.connections == 1)
    for status in [AuthorizationStatus.denied, .authorized] { #expect(try told(status) == Receipt()) }
    #expect(try told(.notDetermined).grants == 1)
    #expect(try told(.notDetermined) == Receipt())
  }

  @Test func `R132 one command revokes by app, user, library, level, or everything`() throws {
    for scope in ["app", "user", "library", "level", "everything"] {
      let world = try World()
      let app = try world.app(.allow)
      let other = try world.app(.allow, .addOnly, manifest: .test("org.example.other"))
      let receipt = try done { completion in
        let what =
          switch scope {
          case "app": RevocationScope(app: app.app!.identifier)
          case "user": RevocationScope(uid: World.appUser)
          case "library": RevocationScope(library: world.photos)
          case "level": RevocationScope(level: .readWrite)
          default: RevocationScope(everything: true)
          }
        world.anna.grants.revoke(what, completion: completion)
      }
      let both = !["app", "level"].contains(scope)
      #expect(receipt.grants == (both ? 2 : 1))
      #expect(code { try app.authorize(.read) } == .photos(.accessUserDenied))
      #expect((code { try other.authorize(.add) } == nil) == !both)
    }
    let world = try World()
    #expect(code { try done { world.anna.grants.revoke(RevocationScope(), completion: $0) } } == .refused)
  }

  @Test func `R51 a preview shows an edit's result and changes nothing`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    _ = try done {
      world.library.marks.set(world.selection([9]), favourite: nil, hidden: nil, neverShare: true, completion: $0)
    }
    let commits = world.store.commits
    let preview = try done {
      world.anna.selections.edit(
        library: world.photos, app: app.app!.identifier, adding: world.selection([2, 3, 9]),
        removing: world.selection([1]),
        preview: true, completion: $0)
    }
    #expect(preview.added.map(\.rawValue) == [3] && preview.removed.map(\.rawValue) == [1] && preview.selected == 2)
    #expect(world.store.commits == commits)
    let real = try world.edit(app, add: [2, 3, 9], remove: [1])
    #expect(real.added == preview.added && real.removed == preview.removed && real.selected == preview.selected)
  }

  @Test func `R43 R44 an app's additions join its own selection, also after later decisions`() throws {
    let world = try World()
    let app = try world.app(.allow, .addOnly)
    let other = try world.app(.select, selecting: [], manifest: .test("org.example.other"))
    func add(_ session: Session) throws -> Int {
      Int(try world.create(session.authorize(.add), world.photo("added.jpg")).rawValue)
    }
    let first = try add(app)
    app.requestAuthorization(level: .readWrite) { _ in }
    try world.answer(.select, selecting: [1])
    #expect(try world.fetch(app) == [1, first])
    let second = try add(app)
    #expect(try world.fetch(app) == [1, first, second])
    #expect(try world.fetch(other) == [])
    _ = try world.edit(app, remove: [first])
    _ = try world.set(app, .authorized)
    _ = try world.set(app, .limited)
    #expect(try world.fetch(app) == [1, second])
  }

  @Test func `R128 a removed library leaves nothing, and its reused name accepts no old tokens`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let token = try done { app.requestAuthorization(level: .readWrite, completion: $0) }.token!
    #expect(try done { world.anna.libraries.remove(world.photos, completion: $0) }.grants == 1)
    #expect(world.store.contents.grants.isEmpty && app.libraries.isEmpty)
    _ = try done {
      world.anna.libraries.add(
        world.photos, backend: "directory", options: [:], offeredTo: [World.appUser], completion: $0)
    }
    try world.accept(world.photos, by: World.appUser)
    #expect(try app.status(.readWrite) == .notDetermined)
    #expect(code { try world.connect().attach(token) } == .tokenRefused)
    #expect(
      code { try done { world.bert.libraries.add(world.photos, backend: "directory", options: [:], completion: $0) } }
        == .refused)
    #expect(
      code {
        try done {
          world.bert.libraries.add(
            LibraryName("x")!, backend: "directory", options: [:], owner: World.anna, completion: $0)
        }
      }
        == .notPermitted)
  }

  @Test func `R93 a removed app is forgotten and asks as a new one`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let own = try done { app.introduce(.test(), completion: $0) }.token
    _ = try done { world.anna.apps.remove(app.app!.identifier, completion: $0) }
    #expect(world.store.contents.apps.isEmpty && world.store.contents.grants.isEmpty)
    #expect(world.delegate.closed.contains { $0 === app })
    #expect(code { try app.authorize(.read) } == .tokenRefused)
    #expect(code { try world.connect().attach(own) } == .tokenRefused)
  }

  @Test func `R93 an app waiting for its first answer can be removed with its prompt`() throws {
    let world = try World()
    let app = try world.app()
    var isOver = false
    app.requestAuthorization(level: .readWrite) { _ in isOver = true }
    let identifier = try #require(app.app).identifier
    // The app never asked for Bert's library, and an administrator cannot answer.
    #expect(code { try done { world.bert.apps.remove(identifier, completion: $0) } } == .notFound(what: "app"))
    #expect(code { try done { world.root.apps.remove(identifier, completion: $0) } } == .refused)
    #expect(world.store.contents.prompts.count == 1)
    _ = try done { world.anna.apps.remove(identifier, completion: $0) }
    #expect(world.store.contents.apps.isEmpty && world.store.contents.prompts.isEmpty)
    #expect(isOver && world.delegate.closed.contains { $0 === app })
    #expect(code { try app.authorize(.read) } == .tokenRequired)
    let record = try #require(world.store.log.last)
    #expect(record.action == "remove" && record.app == identifier && record.before == "asks")
  }

  @Test func `R93 a registrar lists, names and removes another user's app before it asks`() throws {
    let world = try World()
    let identifier = try done { world.anna.apps.add(.test("org.example.early"), user: World.appUser, completion: $0) }
      .app
      .identifier
    try world.restart()
    #expect(world.anna.apps.list.map(\.identifier) == [identifier])
    #expect(world.bert.apps.list.isEmpty)
    #expect(code { try done { world.bert.apps.remove(identifier, completion: $0) } } == .notFound(what: "app"))
    _ = try done { world.anna.apps.remove(identifier, completion: $0) }
    #expect(world.anna.apps.list.isEmpty && world.store.contents.apps.isEmpty)
  }

  @Test func `R93 R138 an app with picked photos is neither removed by its user nor forgotten for new ones`()
    throws
  {
    let world = try World()
    let single = PickerConfiguration(
      selectionLimit: 1, mediaTypes: [], isOrdered: false, givesIdentifiers: false, preselected: [])
    let picker = try world.app()
    let identifier = try #require(picker.app).identifier
    try picker.presentPicker(single, library: world.photos) { _ in }
    let asset = try #require(world.library.catalogue.row(of: AssetNumber(1))).identifier
    #expect(
      try world.anna.pickers.answer(
        try #require(world.anna.pickers.waiting.first).identifier, assets: [asset], again: []) == 1)
    picker.close()
    let own = world.admin(World.appUser)
    #expect(code { try done { own.apps.remove(identifier, completion: $0) } } == .refused)
    for _ in 0...BrokerLimits.appsPerUser { try world.app().close() }
    #expect(try world.anna.pickers.apps(of: world.photos).map(\.app.identifier) == [identifier])
    _ = try done { world.anna.apps.remove(identifier, completion: $0) }
    #expect(try world.anna.pickers.apps(of: world.photos).isEmpty && world.broker.app(identifier) == nil)
    let record = try #require(world.store.log.last)
    #expect(record.action == "remove" && record.app == identifier && record.before == "1 picked")
  }

  @Test func `an owner's number of libraries is limited, except for root`() throws {
    let world = try World()
    let most = BrokerLimits.librariesPerOwner
    func add(_ name: String, _ admin: AdminSession, owner: UInt32? = nil) throws {
      let name = try #require(LibraryName(name))
      _ = try done { admin.libraries.add(name, backend: "directory", options: [:], owner: owner, completion: $0) }
    }
    for number in 1..<most { try add("more-\(number)", world.anna) }
    let failure = #expect(throws: BrokerError.self) { try add("over", world.anna) }
    #expect(failure?.code == .refused && failure?.message.contains("\(most)") == true)
    #expect(world.broker.libraries.values.count { $0.record.owner == World.anna } == most)
    try add("other", world.bert)
    try add("given", world.root, owner: World.anna)
    #expect(code { try add("over", world.anna) } == .refused)
    for name in ["given", "more-1"] {
      let name = try #require(LibraryName(name))
      _ = try done { world.anna.libraries.remove(name, completion: $0) }
    }
    try add("over", world.anna)
    #expect(code { try add("more", world.anna) } == .refused)
  }
}
