import Broker
import Catalogue
import Cryptography
import Limits
import Macaroons
import PhotoModel
import Testing

@Suite struct TokenTests {
  private func token(_ app: Session, _ level: AccessLevel = .readWrite) throws -> String {
    try #require(try done { app.requestAuthorization(level: level, completion: $0) }.token)
  }

  @Test func `R121 R123 the granting answer delivers the token, and only a token opens`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1])
    let token = try token(app)
    let own = try done { app.introduce(.test(), completion: $0) }.token
    let known = world.connect()
    _ = try known.attach(own)
    #expect(try known.status(.readWrite) == .limited)
    #expect(code { try known.authorize(.read) } == .tokenRequired)
    let other = world.connect()
    let attached = try other.attach(token)
    #expect(attached.grant == world.key(app))
    #expect(try world.fetch(other) == [1])
  }

  @Test func `R122 a token is for one app, one library, one level, one user`() throws {
    let world = try World()
    let app = try world.app(.allow, .addOnly)
    let adding = try token(app, .addOnly)
    let session = world.connect()
    _ = try session.attach(adding)
    #expect(code { try session.authorize(.read, level: .addOnly) } == .photos(.accessUserDenied))
    #expect(code { try session.authorize(.read) } == .tokenRequired)
    #expect(code { try session.authorize(.add, library: world.holidays) } == .photos(.identifierNotFound))
    for stranger in [World.anna, World.bert, 0, 2001] {
      #expect(code { try world.connect(uid: stranger).attach(adding) } == .tokenRefused)
    }
    let other = try world.app(.test("org.example.other"))
    #expect(code { try other.attach(adding) } == .tokenRefused)
  }

  @Test func `R122 the user is checked against the app and not only against the token`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let accessor = try app.authorize(.read).accessor
    let root = world.library.record.rootKey
    let key = try HKDF.derive(from: SecretBytes(copying: root.span), info: [UInt8]("access tokens".utf8), count: 32)
    let bare = try MacaroonVerifier(location: "photos", key: key).mint(identifier: [UInt8](accessor.description.utf8))
      .text
    _ = try world.connect().attach(bare)
    for user in [2001, World.anna] { #expect(code { try world.connect(uid: user).attach(bare) } == .tokenRefused) }
  }

  @Test func `R124 an edit acts on the same token string, also after a restart`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1])
    let first = try token(app)
    _ = try world.edit(app, add: [2], remove: [1])
    #expect(try token(app) == first)
    #expect(try world.fetch(app) == [2])
    try world.restart()
    let again = world.connect()
    _ = try again.attach(first)
    #expect(try world.fetch(again) == [2])
  }

  @Test func `R125 attenuated tokens share the fate of their token`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    let whole = try Macaroon(text: try token(app))
    let row = try #require(world.library.catalogue.row(of: AssetNumber(1)))
    let seen = try world.library.seals[app.app!.identifier].seal(row.identifier)
    let narrowed = try whole.adding(.verbs([.read])).adding(.assets([UInt128(seen.high) << 64 | UInt128(seen.low)]))
      .text
    let worker = world.connect()
    _ = try worker.attach(narrowed)
    #expect(try world.fetch(worker) == [1])
    #expect(code { try worker.authorize(.edit) } == .tokenRefused)
    #expect(try worker.describeAccess(.readWrite).visible == 1)
    let permit = try worker.authorize(.read)
    _ = try done { world.anna.tokens.revoke(permit.accessor, completion: $0) }
    #expect(!world.broker.mayRelease(permit))
    #expect(code { try worker.authorize(.read) } == .tokenRefused)
    #expect(code { try world.connect().attach(narrowed) } == .tokenRefused)
    #expect(code { try app.authorize(.read) } == .tokenRefused)
    _ = try token(app)
    #expect(try world.fetch(app) == [1, 2])
  }

  @Test func `R72 R122 a token without the picking right opens no picker in the app's name`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    let (whole, seen) = (try Macaroon(text: try token(app)), try world.sealed(app.authorize(.read), 1))
    func mayPick(_ narrowed: Macaroon, _ library: LibraryName) throws -> Bool {
      let worker = world.connect()
      _ = try worker.attach(narrowed.text)
      defer { worker.close() }
      let configuration = PickerConfiguration(
        selectionLimit: 1, mediaTypes: [], isOrdered: false, givesIdentifiers: false, preselected: [])
      do { try worker.presentPicker(configuration, library: library) { _ in } } catch {
        #expect(error.code == .tokenRefused || library != world.photos)
        return false
      }
      return true
    }
    #expect(try mayPick(whole, world.photos))
    #expect(try mayPick(whole.adding(.verbs([.read, .pick])), world.photos))
    #expect(try !mayPick(whole.adding(.verbs([.observe])), world.photos))
    #expect(try !mayPick(whole.adding(.assets([UInt128(seen.high) << 64 | UInt128(seen.low)])), world.photos))
    #expect(try !mayPick(whole, world.holidays), "a token of another library")
  }

  @Test func `R122 the holder of an attenuated token does not receive the full one`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let narrowed = try Macaroon(text: try token(app)).adding(.verbs([.read])).text
    let worker = world.connect()
    _ = try worker.attach(narrowed)
    #expect(try done { worker.requestAuthorization(level: .readWrite, completion: $0) }.token == nil)
    #expect(code { try worker.authorize(.delete) } == .tokenRefused)
    #expect(code { try done { worker.requestAuthorization(level: .addOnly, completion: $0) } } == .tokenRequired)
    #expect(code { try done { worker.introduce(.test(), completion: $0) } } == .tokenRequired)
    let own = try Macaroon(text: try done { app.introduce(.test(), completion: $0) }.token)
    #expect(code { try world.connect().attach(try own.adding(.verbs([.read])).text) } == .tokenRefused)
  }

  @Test func `R122 a token's own end holds`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let seconds = world.environment.now.microseconds / 1_000_000 + 60
    let narrowed = try Macaroon(text: try token(app)).adding(.before(seconds)).text
    let worker = world.connect()
    _ = try worker.attach(narrowed)
    let permit = try worker.authorize(.read)
    world.environment.monotonic += .seconds(61)
    #expect(!world.broker.mayRelease(permit))
    #expect(code { try worker.authorize(.read) } == .tokenRefused)
    _ = try app.authorize(.read)
    world.environment.advance(.seconds(61))
    #expect(code { try world.connect().attach(narrowed) } == .tokenRefused)
  }

  @Test(arguments: [false, true])
  func `R125 prompts of a token are withdrawn with the token`(isRevoked: Bool) throws {
    let world = try World()
    let app = try world.nextRun(of: world.app(.select, selecting: [1, 2]))
    let seconds = world.environment.now.microseconds / 1_000_000 + 60
    let narrowed = try Macaroon(text: try token(app)).adding(.before(seconds)).text
    let worker = world.connect(process: app.identity.processID)
    _ = try worker.attach(narrowed)
    let (page, picker) = (
      Box<Result<(Permit, [AssetNumber]), BrokerError>>(), Box<Result<PickerOutcome, BrokerError>>()
    )
    world.broker.promptService.didFetch(try worker.authorize(.read))
    worker.presentLimitedLibraryPicker { page.value = $0 }
    let configuration = PickerConfiguration(
      selectionLimit: 1, mediaTypes: [], isOrdered: false, givesIdentifiers: false, preselected: [])
    try worker.presentPicker(configuration, library: world.photos) { picker.value = $0 }
    let asked = try #require(world.anna.prompts.views(language: nil).first?.prompt.identifier)
    let opened = try #require(world.anna.pickers.waiting.first?.identifier)
    if isRevoked {
      let accessor = try worker.authorize(.read).accessor
      _ = try done { world.anna.tokens.revoke(accessor, completion: $0) }
    } else {
      world.environment.advance(.seconds(61))
    }
    // Correctness does not depend on the time at which `runDue` is called.
    #expect(world.anna.prompts.views(language: nil).isEmpty && world.anna.pickers.waiting.isEmpty)
    #expect(
      code { try done { world.anna.prompts.answer(asked, .cancel, completion: $0) } } == .notFound(what: "prompt"))
    #expect(code { try world.anna.pickers.answer(opened, assets: nil, again: []) } == .notFound(what: "picker"))
    _ = world.broker.expiry.runDue()
    #expect(code { try #require(page.value).get() } == .tokenRefused)
    #expect(code { try #require(picker.value).get() } == .photos(.operationInterrupted))
    // An unanswered prompt of this life cycle opens again when the app itself fetches.
    _ = try token(app)
    world.broker.promptService.didFetch(try app.authorize(.read))
    #expect(world.anna.prompts.views(language: nil).map(\.prompt.kind) == [.keepSelection])
  }

  @Test(arguments: [false, true])
  func `R125 a prompt shared by another token outlives the first, also over a restart`(isAskedByAnother: Bool)
    throws
  {
    let world = try World()
    let app = try world.nextRun(of: world.app(.select, selecting: [1, 2]))
    let seconds = world.environment.now.microseconds / 1_000_000 + 60
    let worker = world.connect(process: app.identity.processID)
    _ = try worker.attach(try Macaroon(text: try token(app)).adding(.before(seconds)).text)
    world.broker.promptService.didFetch(try worker.authorize(.read))
    if isAskedByAnother { world.broker.promptService.didFetch(try app.authorize(.read)) }
    world.environment.advance(.seconds(61))
    _ = world.broker.expiry.runDue()
    #expect(world.anna.prompts.views(language: nil).count == (isAskedByAnother ? 1 : 0))
    try world.restart()
    #expect(world.anna.prompts.views(language: nil).count == (isAskedByAnother ? 1 : 0))
  }

  @Test func `R122 damaged, foreign, contradicting and unknown tokens are refused alike`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let text = try token(app)
    let whole = try Macaroon(text: text)
    var bad = ["", "!", String(text.dropLast()), text + "A", String(repeating: "A", count: 5_000)]
    bad.append(try foreign(to: world))
    bad.append(try whole.adding(.library("holidays")).text)
    bad.append(try whole.adding(.uid(1)).text)
    bad.append(try whole.adding(.app("x")).text)
    bad.append(try whole.adding(.level(.addOnly)).text)
    bad.append(try whole.addingFirstPartyCaveat([UInt8]("colour = red".utf8)).text)
    for text in bad {
      do {
        _ = try world.connect().attach(text)
        Issue.record("taken")
      } catch {
        #expect(error.code == .tokenRefused)
        #expect(error.message == refusal(world)?.message)
      }
    }
  }

  /// A token of another broker with the same accessor.
  private func foreign(to world: World) throws -> String {
    let accessor = try #require(world.store.contents.tokens.first { $0.grant != nil }).accessor
    return try MacaroonVerifier(location: "photos", key: SecretBytes(copying: [UInt8](repeating: 7, count: 32).span))
      .mint(identifier: [UInt8](accessor.description.utf8)).text
  }

  private func refusal(_ world: World) -> BrokerError? {
    do { _ = try world.connect().attach("x") } catch { return error }
    return nil
  }

  @Test func `R123 an owner mints the same token in advance, and nobody else does`() throws {
    let world = try World()
    let app = try world.app()
    let identifier = app.app!.identifier
    #expect(
      code {
        try done { world.anna.tokens.mint(library: world.photos, app: identifier, level: .readWrite, completion: $0) }
      } != nil)
    _ = try world.set(app, .authorized)
    let minted = try done {
      world.anna.tokens.mint(library: world.photos, app: identifier, level: .readWrite, completion: $0)
    }
    #expect(try token(app) == minted.text)
    #expect(
      code {
        try done { world.root.tokens.mint(library: world.photos, app: identifier, level: .readWrite, completion: $0) }
      } == .notPermitted
    )
    #expect(
      code {
        try done { world.bert.tokens.mint(library: world.photos, app: identifier, level: .readWrite, completion: $0) }
      }
        == .notFound(what: "library"))
    let session = world.connect()
    _ = try session.attach(minted.text)
    _ = try session.authorize(.read)
    _ = try world.set(app, .denied)
    #expect(
      code {
        try done { world.anna.tokens.mint(library: world.photos, app: identifier, level: .readWrite, completion: $0) }
      } == .refused)
  }

  @Test func `R121 tokens of one connection do not apply to another of the same process`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let own = try done { app.introduce(.test(), completion: $0) }.token
    let sibling = world.connect(process: app.identity.processID)
    #expect(code { try sibling.authorize(.read) } == .tokenRequired)
    _ = try sibling.attach(own)
    #expect(code { try sibling.authorize(.read) } == .tokenRequired)
  }

  @Test func `R138 an app without its token is a new app, unless the system vouches for it`() throws {
    let world = try World()
    func introduce(
      _ system: String?, _ manifest: Manifest = .test(), uid: UInt32 = World.appUser, interpreter: Bool = false
    ) throws
      -> AppIdentifier
    {
      let session = world.connect(uid: uid, system: system, interpreter: interpreter)
      return try done { session.introduce(manifest, completion: $0) }.app.identifier
    }
    let unit = try introduce("unit:frame.service")
    #expect(try introduce("unit:frame.service") == unit)
    try world.restart()
    #expect(try introduce("unit:frame.service") == unit)
    #expect(try introduce("unit:other.service") != unit)
    #expect(try introduce(nil) != unit)
    #expect(try introduce("unit:frame.service", .test("org.example.other")) != unit)
    #expect(try introduce("unit:frame.service", uid: 2001) != unit)
    #expect(try introduce(nil, interpreter: true) != introduce(nil, interpreter: true))
  }

  @Test func `R138 an app's revoked token identifies nobody`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let own = try done { app.introduce(.test(), completion: $0) }.token
    let record = try #require(try world.root.tokens.list(app: app.app!.identifier).first { $0.grant == nil })
    _ = try done { world.root.tokens.revoke(record.accessor, completion: $0) }
    #expect(code { try world.connect().attach(own) } == .tokenRefused)
    #expect(world.delegate.closed.contains { $0 === app })
  }

  @Test func `a few revoked tokens of each grant and each app are kept, in memory and on disk`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1])
    let other = try world.app(.allow, manifest: .test("org.example.other"))
    let (name, kept) = (app.app!.identifier, TokenRecord.revokedKept)
    let (first, own) = (try token(app), try done { app.introduce(.test(), completion: $0) }.token)
    for _ in 0..<kept + 3 {
      _ = try world.set(app, .denied)
      _ = try world.set(app, .limited)
      _ = try done { world.root.tokens.revoke(world.broker.app(name)!.record.accessor, completion: $0) }
    }
    let present = try #require(try world.anna.grants.list(app: name).first).record.accessor
    for restarts in [false, true] {
      if restarts { try world.restart() }
      let tokens = try world.root.tokens.list(app: name)
      #expect(tokens.count == 2 * (kept + 1) && tokens.count { $0.isRevoked } == 2 * kept)
      #expect(tokens.first { $0.accessor == present }?.isRevoked == false)
      #expect(Set(world.store.contents.tokens.filter { $0.app == name }.map(\.accessor)) == Set(tokens.map(\.accessor)))
      for old in [first, own] { #expect(code { try world.connect().attach(old) } == .tokenRefused) }
      // Lookups by owner do not walk through all tokens.
      #expect(
        try world.anna.tokens.list().map(\.accessor) == world.anna.tokens.list(library: world.photos).map(\.accessor))
      #expect(
        try world.anna.tokens.list().count == kept + 2
          && world.admin(World.appUser).tokens.list().allSatisfy { $0.grant == nil })
      #expect(try world.root.tokens.list().count == tokens.count + 2 && world.bert.tokens.list().isEmpty)
    }
    withExtendedLifetime(other) {}
    _ = try done { world.anna.apps.remove(name, completion: $0) }
    #expect(try world.root.tokens.list().count == 2)
  }

  @Test
  func
    `R131 that an app's own token was revoked is on record wherever somebody decided on the app, or under no library`()
    throws
  {
    let world = try World()
    let app = try world.app(.select, selecting: [1])
    let other = try world.app(.test("org.example.other"))
    func revoke(_ session: Session, by admin: AdminSession) throws -> Receipt {
      let accessor = try #require(world.broker.app(session.app!.identifier)).record.accessor
      return try done { admin.tokens.revoke(accessor, completion: $0) }
    }
    func newest(_ admin: AdminSession, _ library: LibraryName?) throws -> KeptDecision {
      try #require(
        try done { admin.decisions.list(library: library, DecisionQuery(limit: 1), completion: $0) }.entries.first)
    }
    let receipt = try revoke(app, by: world.root)
    let entry = try newest(world.anna, world.photos)
    #expect(
      entry.record.action == "revokeToken" && entry.record.app == app.app!.identifier && entry.record.level == nil)
    #expect(
      entry.record.role == .administrator && receipt.decisions == [entry.number] && !world.anna.decisions.mayUndo(entry)
    )
    _ = try revoke(other, by: world.root)
    let ofNone = try newest(world.root, nil)
    #expect(ofNone.record.library == nil && ofNone.record.app == other.app!.identifier)
    #expect(try newest(world.anna, nil).record == entry.record)
    // Repeated revocations by the app's user do not bury decisions.
    for _ in 0..<20 { _ = try revoke(app, by: world.admin(World.appUser)) }
    let all = try done { world.anna.decisions.list(library: world.photos, DecisionQuery(limit: 100), completion: $0) }
      .entries
    #expect(all.count { $0.record.action == "revokeToken" && $0.record.role == .user } == 10)
    #expect(try world.root.tokens.list(app: app.app!.identifier).count { $0.grant == nil && !$0.isRevoked } == 1)
  }

  @Test func `removed apps are known by their names as far as the disk knows them`() throws {
    let world = try World()
    var names: [AppIdentifier] = []
    for number in 0...FormerApp.keptPerUser {
      let session = try world.app(.test("org.example.n\(number)"))
      names.append(session.app!.identifier)
      _ = try done { world.admin(World.appUser).apps.remove(session.app!.identifier, completion: $0) }
    }
    #expect(
      world.broker.formerApp(names[0]) == nil && names.dropFirst().allSatisfy { world.broker.formerApp($0) != nil })
    #expect(
      world.broker.apps(claiming: "org.example.n0").isEmpty
        && world.broker.apps(claiming: "org.example.n1") == [names[1]])
  }

  @Test(arguments: [true, false])
  func `R139 an app's removal by its user keeps its name in owners' records`(isForgottenFirst: Bool)
    throws
  {
    let world = try World()
    let evil = try world.app(.allow, manifest: .test("org.example.evil")).app!.identifier
    let user = world.admin(World.appUser)
    if isForgottenFirst {
      // Others still know the app while one owner forgets it.
      _ = try done { world.bert.rights.offer(world.holidays, to: [World.appUser], completion: $0) }
      try world.accept(world.holidays, by: World.appUser)
      _ = try done {
        world.bert.grants.set(
          library: world.holidays, app: evil, level: .readWrite, GrantSettings(status: .denied), completion: $0)
      }
      _ = try done { world.anna.apps.remove(evil, completion: $0) }
      _ = try done { world.bert.apps.remove(evil, completion: $0) }
    } else {
      _ = try done { world.anna.apps.remove(evil, completion: $0) }
    }
    for number in 0...FormerApp.keptPerUser {
      let session = try world.app(.test("org.example.n\(number)"))
      _ = try done { user.apps.remove(session.app!.identifier, completion: $0) }
    }
    #expect(
      world.broker.formerApp(evil)?.claimed == "org.example.evil"
        && world.broker.apps(claiming: "org.example.evil") == [evil])
  }

  @Test func `R138 registered apps are bounded, and an important one is not forgotten`() throws {
    let world = try World()
    let kept = try world.app(.allow).app!.identifier
    for _ in 0...BrokerLimits.appsPerUser {
      let session = try world.app()
      session.close()
    }
    #expect(world.root.apps.list.count == BrokerLimits.appsPerUser)
    #expect(world.broker.app(kept) != nil)
    let open = try (1..<BrokerLimits.appsPerUser).map { _ in try world.app() }
    #expect(code { try world.app() } == .photos(.limitExceeded))
    withExtendedLifetime(open) {}
  }

  @Test(arguments: ["", "a b", "ä", String(repeating: "x", count: 129)])
  func `R138 a manifest's identifier has a limited alphabet`(_ identifier: String) throws {
    let world = try World()
    #expect(code { try world.app(.test(identifier)) } == .refused)
  }

  @Test(arguments: ["", "  ", "a\u{202e}b", "a\u{7}", "a\nb", "\u{200b}"])
  func `R138 a manifest's name cannot reverse or hide the text around it`(_ name: String) throws {
    let world = try World()
    var manifest = Manifest.test()
    manifest.displayName = name
    #expect(code { try world.app(manifest) } == .refused)
  }
}
