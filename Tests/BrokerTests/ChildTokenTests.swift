import Broker
import Catalogue
import Limits
import Macaroons
import PhotoModel
import Testing

@Suite struct ChildTokenTests {
  private func mint(
    _ world: World, _ app: Session, _ name: String = "helper", uid: UInt32? = nil, end: Timestamp? = nil
  ) throws -> AdminTokens.MintedToken {
    let request = ChildTokenRequest(name: name, uid: uid, end: end)
    return try done {
      world.anna.tokens.mintChild(
        request, library: world.photos, app: app.app!.identifier, level: .readWrite, completion: $0)
    }
  }

  private func mint(from session: Session, uid: UInt32? = nil, end: Timestamp? = nil) throws
    -> AdminTokens.MintedToken
  {
    let permit = try session.authorize([])
    let request = ChildTokenRequest(name: "helper", uid: uid, end: end)
    return try done { session.mintChildToken(request, under: permit, completion: $0) }
  }

  private func helper(_ world: World, _ token: String, uid: UInt32 = World.appUser) throws -> Session {
    let session = world.connect(uid: uid)
    _ = try session.attach(token)
    return session
  }

  private func record(_ world: World, _ minted: AdminTokens.MintedToken) throws -> TokenRecord {
    try #require(try world.anna.tokens.list(library: world.photos).first { $0.accessor == minted.accessor })
  }

  @Test func `R155 a child token has an accessor of its own and is revoked alone`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    let (one, other) = (try mint(world, app, "one"), try mint(world, app, "other"))
    let (first, second) = (try helper(world, one.text), try helper(world, other.text))
    let permit = try first.authorize(.read)
    #expect(permit.accessor == one.accessor && one.accessor != other.accessor)
    #expect(try world.fetch(first) == [1, 2])
    let parent = try app.authorize(.read).accessor
    #expect(
      try record(world, one).child
        == ChildToken(parent: parent, name: "one", uid: World.appUser, end: nil))
    let receipt = try done { world.anna.tokens.revoke(one.accessor, completion: $0) }
    #expect(receipt.effect.connections == 1 && receipt.decisions.count == 1)
    #expect(world.delegate.closed.contains { $0 === first } && world.delegate.closed.count == 1)
    #expect(!world.broker.mayRelease(permit))
    #expect(code { try first.authorize(.read) } == .tokenRefused)
    #expect(code { try helper(world, one.text) } == .tokenRefused)
    #expect(try record(world, one).isRevoked)
    #expect(try world.fetch(second) == [1, 2] && world.fetch(app) == [1, 2])
    try world.restart()
    #expect(code { try helper(world, one.text) } == .tokenRefused)
    #expect(try world.fetch(helper(world, other.text)) == [1, 2])
  }

  @Test func `R155 a child ends with the token of its grant, and does not come back with the grant`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let child = try mint(world, app)
    let session = try helper(world, child.text)
    let permit = try session.authorize(.read)
    let parent = try app.authorize(.read).accessor
    _ = try done { world.anna.tokens.revoke(parent, completion: $0) }
    #expect(!world.broker.mayRelease(permit))
    #expect(code { try session.authorize(.read) } == .tokenRefused)
    #expect(try record(world, child).isRevoked)
    #expect(world.store.contents.tokens.allSatisfy { $0.child == nil || $0.isRevoked })
    _ = try done { app.requestAuthorization(level: .readWrite, completion: $0) }
    _ = try app.authorize(.read)
    try world.restart()
    #expect(code { try helper(world, child.text) } == .tokenRefused)
  }

  @Test func `R155 a child is for its own user, to whom the library must be offered`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let child = try mint(world, app, uid: 2001)
    #expect(code { try helper(world, child.text) } == .tokenRefused, "the app's user")
    #expect(code { try helper(world, child.text, uid: 2001) } == .tokenRefused, "no offer")
    #expect(world.anna.tokens.isResting(try record(world, child)))
    _ = try done { world.anna.rights.offer(world.photos, to: [World.appUser, 2001], completion: $0) }
    try world.accept(world.photos, by: 2001)
    let session = try helper(world, child.text, uid: 2001)
    let permit = try session.authorize(.read)
    #expect(code { try helper(world, child.text, uid: 2002) } == .tokenRefused)
    let receipt = try done { world.anna.rights.offer(world.photos, to: [World.appUser], completion: $0) }
    #expect(receipt.effect.connections == 1 && !world.broker.mayRelease(permit))
    #expect(code { try session.authorize(.read) } == .tokenRefused)
    _ = try app.authorize(.read)
    // The offer of the app's own user counts too.
    _ = try done { world.anna.rights.offer(world.photos, to: [2001], completion: $0) }
    try world.accept(world.photos, by: 2001)
    #expect(code { try helper(world, child.text, uid: 2001) } == .tokenRefused)
  }

  @Test func `R155 revoking a user's access ends the child tokens for that user`() throws {
    let world = try World()
    let app = try world.app(.allow)
    _ = try done { world.anna.rights.offer(world.photos, to: [World.appUser, 2001], completion: $0) }
    try world.accept(world.photos, by: 2001)
    let (child, other) = (try mint(world, app, uid: 2001), try mint(world, app))
    let session = try helper(world, child.text, uid: 2001)
    let receipt = try done { world.anna.grants.revoke(RevocationScope(uid: 2001), completion: $0) }
    #expect(receipt.effect.connections == 1 && receipt.decisions.count == 1)
    #expect(code { try session.authorize(.read) } == .tokenRefused)
    _ = try helper(world, other.text).authorize(.read)
  }

  @Test func `R155 an app's child allows no more than the token that made it`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    let whole = try Macaroon(
      text: try #require(try done { app.requestAuthorization(level: .readWrite, completion: $0) }.token))
    let seen = try world.sealed(app.authorize(.read), 1)
    let seconds = world.environment.now.microseconds / 1_000_000 + 60
    let narrowed = try whole.adding(.verbs([.read])).adding(.assets([UInt128(seen.high) << 64 | UInt128(seen.low)]))
      .adding(.before(seconds)).adding(.withholds(.captions))
    let later = Timestamp(seconds: seconds + 60)
    let session = try helper(world, try mint(from: helper(world, narrowed.text), end: later).text)
    #expect(try world.fetch(session) == [1])
    #expect(code { try session.authorize(.edit) } == .tokenRefused)
    #expect(try session.authorize(.read).withheld.contains(.captions))
    #expect(try session.describeAccess(.readWrite).tokenExpires == Timestamp(seconds: seconds))
    // Nor does any child give the grant's own token, or make another child.
    let free = try helper(world, try mint(from: app).text)
    #expect(try done { free.requestAuthorization(level: .readWrite, completion: $0) }.token == nil)
    #expect(code { try done { free.introduce(.test(), completion: $0) } } == .tokenRequired)
    #expect(code { try mint(from: free) } == .tokenRefused)
    // A count would be renewed by each child.
    for budget in [Caveat.uses(9), .bytes(9)] {
      #expect(code { try mint(from: helper(world, whole.adding(budget).text)) } == .tokenRefused)
    }
  }

  @Test func `R155 a child has an end of its own, and ended ones make room`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let end = world.environment.now.advanced(by: .seconds(60))
    #expect(code { try mint(world, app, end: world.environment.now) } == .refused)
    let children = try (0..<BrokerLimits.childTokens).map { _ in try mint(world, app, end: end) }
    #expect(code { try mint(from: app) } == .photos(.limitExceeded))
    #expect(code { try mint(world, app) } == .photos(.limitExceeded))
    let session = try helper(world, children[0].text)
    let permit = try session.authorize(.read)
    world.environment.advance(.seconds(61))
    #expect(!world.broker.mayRelease(permit))
    #expect(code { try helper(world, children[1].text) } == .tokenRefused)
    // Short ends are no way around the limit.
    #expect(code { try mint(from: app) } == .photos(.limitExceeded))
    world.environment.advance(.seconds(3_600))
    _ = try helper(world, try mint(from: app).text).authorize(.read)
    #expect(world.store.contents.tokens.count { $0.child != nil } <= TokenRecord.revokedKept + 1)
    _ = try app.authorize(.read)
  }

  @Test func `R155 undoing the issue of a child revokes it, and no undo brings it back`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let child = try mint(from: app)
    func latest() throws -> UInt64 {
      try #require(
        try done { world.anna.decisions.list(library: world.photos, DecisionQuery(limit: 1), completion: $0) }.entries
          .first
      ).number
    }
    let (issue, session) = (try latest(), try helper(world, child.text))
    _ = try done { world.anna.decisions.undo(issue, completion: $0) }
    #expect(code { try session.authorize(.read) } == .tokenRefused)
    #expect(try record(world, child).isRevoked)
    let revoked = try latest()
    #expect(revoked != issue)
    for number in [issue, revoked] {
      #expect(code { try done { world.anna.decisions.undo(number, completion: $0) } } == .refused)
    }
    #expect(code { try helper(world, child.text) } == .tokenRefused)
    _ = try app.authorize(.read)
  }

  @Test func `R155 a question that a child alone asked is withdrawn with it`() throws {
    let world = try World()
    let app = try world.nextRun(of: world.app(.select, selecting: [1, 2]))
    let child = try mint(world, app)
    let session = try helper(world, child.text)
    world.broker.promptService.didFetch(try session.authorize(.read))
    #expect(world.anna.prompts.views(language: nil).count == 1)
    _ = try done { world.anna.tokens.revoke(child.accessor, completion: $0) }
    #expect(world.anna.prompts.views(language: nil).isEmpty && world.store.contents.prompts.isEmpty)
    world.broker.promptService.didFetch(try app.authorize(.read))
    #expect(world.anna.prompts.views(language: nil).count == 1)
  }

  @Test func `R155 only who decides in the library makes and revokes its child tokens`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let child = try mint(world, app)
    let (key, request) = (world.key(app), ChildTokenRequest(name: "x", uid: nil, end: nil))
    for (caller, expected) in [(world.root, BrokerError.Code.notPermitted), (world.bert, .notFound(what: "library"))] {
      #expect(
        code {
          try done {
            caller.tokens.mintChild(request, library: key.library, app: key.app, level: key.level, completion: $0)
          }
        } == expected)
    }
    #expect(code { try done { world.bert.tokens.revoke(child.accessor, completion: $0) } } == .notFound(what: "token"))
    _ = try done { world.root.tokens.revoke(child.accessor, completion: $0) }
    #expect(code { try helper(world, child.text) } == .tokenRefused)
  }

  @Test func `R155 a child that could not be stored is not valid`() throws {
    let world = try World()
    let app = try world.app(.allow)
    world.store.refusals = 1
    #expect(code { try mint(world, app) } == .failed)
    #expect(try world.anna.tokens.list(library: world.photos).allSatisfy { $0.child == nil || $0.isRevoked })
  }
}
