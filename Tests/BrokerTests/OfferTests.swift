import Broker
import Limits
import Macaroons
import PhotoModel
import Testing

/// R127: a user can decline the offer of a library.
@Suite struct OfferTests {
  private var user: UInt32 { World.appUser }

  private func answer(_ world: World, _ accepts: Bool, by uid: UInt32 = World.appUser, _ name: LibraryName? = nil)
    throws -> Receipt
  {
    try done {
      world.admin(uid).offers.answer(name ?? world.photos, .all(accepts ? .accepted : .declined), completion: $0)
    }
    .receipt
  }

  @Test func `R127 a declined library disappears from the user's apps at once and returns when accepted`()
    throws
  {
    let world = try World()
    let app = try world.app(.allow)
    let permit = try app.authorize(.read)
    let fresh = try world.app()
    let offer = try #require(world.admin(user).offers.list.first)
    #expect((offer.library, offer.owner, offer.answers) == (world.photos, World.anna, [.user: .accepted]))
    #expect(try answer(world, false).grants == 1)
    #expect(!world.broker.mayRelease(permit))
    #expect(code { try app.authorize(.read) } == .tokenRefused)
    #expect(fresh.libraries.isEmpty)
    #expect(code { try fresh.library(world.photos) } == code { try fresh.library(LibraryName("absent")!) })
    // The owner sees the refusal, and a repeated offer has no effect.
    _ = try done { world.anna.rights.offer(world.photos, to: [], completion: $0) }
    _ = try done { world.anna.rights.offer(world.photos, to: [user], completion: $0) }
    #expect(fresh.libraries.isEmpty)
    try world.restart()
    #expect(world.connect().libraries.isEmpty && world.admin(user).offers.list.map(\.answers) == [[.user: .declined]])
    _ = try answer(world, true)
    #expect(world.connect().libraries == [world.photos])
    let actions = world.store.log.map(\.action)
    #expect(actions.filter { ["decline", "accept"].contains($0) } == ["accept", "decline", "accept"])
    let record = try #require(world.store.log.first { $0.action == "decline" })
    #expect(
      record.role == .user && record.actor == user && record.before != record.after && record.library == world.photos)
  }

  @Test func `R127 decisions on apps of removed users are suspended and shown so`() throws {
    let world = try World()
    let app = try world.app(.allow)
    func resting() throws -> [Bool] {
      try world.anna.grants.list().map(\.isResting)
        + world.anna.tokens.list(library: world.photos).map { world.anna.tokens.isResting($0) }
    }
    #expect(try resting() == [false, false])
    _ = try done { world.anna.rights.offer(world.photos, to: [], completion: $0) }
    #expect(try resting() == [true, true])
    #expect(
      try world.anna.grants.list().map(\.status) == [.authorized] && code { try app.authorize(.read) } == .tokenRefused)
    _ = try done { world.anna.rights.offer(world.photos, to: [user], completion: $0) }
    #expect(try resting() == [false, false])
    _ = try answer(world, false)
    #expect(try resting() == [true, true])
  }

  @Test func `R127 two accepted offers are ambiguous until one is declined`() throws {
    let world = try World()
    _ = try done { world.bert.rights.offer(world.holidays, to: [user], completion: $0) }
    let app = try world.app()
    #expect(try app.library(nil).record.name == world.photos, "the other one is not accepted")
    _ = try answer(world, true, world.holidays)
    #expect(code { try app.library(nil) } == .photos(.identifierNotFound))
    _ = try answer(world, false, world.holidays)
    #expect(try app.library(nil).record.name == world.photos)
  }

  @Test func `R127 another owner's actions take no app from its user's own library`() throws {
    let world = try World()
    let app = try world.app(uid: World.anna)
    _ = try done { world.bert.rights.offer(world.holidays, to: [World.anna], completion: $0) }
    #expect(try app.library(nil).record.name == world.photos)
    // Allowed there at both levels without asking, and its user invited as co-owner.
    for level in [AccessLevel.addOnly, .readWrite] {
      let settings = GrantSettings(status: .authorized)
      _ = try done {
        world.bert.grants.set(library: world.holidays, app: app.app!.identifier, level: level, settings, completion: $0)
      }
      #expect(try app.library(nil, level: level).record.name == world.photos)
    }
    _ = try done { world.bert.rights.delegate(world.holidays, Delegation(coOwners: [World.anna]), completion: $0) }
    try world.accept(world.holidays, by: World.anna)
    #expect(try app.library(nil).record.name == world.photos)
    #expect(try app.library(world.holidays).record.name == world.holidays)
  }

  @Test func `R126 R127 an app that names no library is led only to libraries that its user accepted`() throws {
    let world = try World()
    let user: UInt32 = 2001
    _ = try done { world.bert.rights.offer(world.holidays, to: [user], completion: $0) }
    _ = try done { world.bert.rights.delegate(world.holidays, Delegation(coOwners: [user]), completion: $0) }
    let app = try world.app(uid: user)
    #expect(code { try app.library(nil) } == .photos(.identifierNotFound), "where there is no other, too")
    #expect(try app.library(world.holidays).record.name == world.holidays, "asked for by name")
    _ = try done { world.anna.rights.offer(world.photos, to: nil, adding: [user], completion: $0) }
    try world.accept(world.photos, by: user)
    #expect(try app.library(nil).record.name == world.photos)
    // The grant there is paused, while the stranger gives more.
    for (admin, library) in [(world.anna, world.photos), (world.bert, world.holidays)] {
      _ = try done {
        admin.grants.set(
          library: library, app: app.app!.identifier, level: .readWrite, GrantSettings(status: .authorized),
          completion: $0)
      }
    }
    _ = try done { world.anna.grants.pause(RevocationScope(everything: true), paused: true, completion: $0) }
    #expect(try app.library(nil).record.name == world.photos)
    _ = try world.set(app, .denied)
    #expect(try app.library(nil).record.name == world.photos)
    try world.restart()
    #expect(try world.connect(uid: user).library(nil).record.name == world.photos)
  }

  @Test
  func `R127 of two accepted libraries an app is led to the one with its grant, paused or not`()
    throws
  {
    let world = try World()
    let app = try world.app(.allow)
    _ = try done { world.bert.rights.offer(world.holidays, to: [user], completion: $0) }
    try world.accept(world.holidays, by: user)
    _ = try done { world.anna.grants.pause(RevocationScope(everything: true), paused: true, completion: $0) }
    #expect(try app.library(nil).record.name == world.photos)
  }

  @Test func `R127 an administrator's offer counts as accepted, and acceptance waits for the disk`()
    throws
  {
    let world = try World()
    _ = try done { world.root.administrators.set([World.bert], completion: $0) }
    _ = try done { world.bert.rights.offer(world.holidays, to: [3000], completion: $0) }
    #expect(try world.connect(uid: 3000).library(nil).record.name == world.holidays)
    _ = try done { world.anna.rights.offer(world.photos, to: [3001], completion: $0) }
    world.store.isDeferred = true
    world.admin(3001).offers.answer(world.photos, .all(.accepted)) { _ in }
    #expect(code { try world.connect(uid: 3001).library(nil) } == .photos(.identifierNotFound))
    world.store.completeAll()
    #expect(try world.connect(uid: 3001).library(nil).record.name == world.photos)
  }

  @Test func `R126 R127 an administrator's offer overrides no refusal, and an invitation none of another role`() throws
  {
    let world = try World()
    _ = try done { world.root.administrators.set([World.anna], completion: $0) }
    func offer() throws {
      _ = try done { world.anna.rights.offer(world.photos, to: [3000], completion: $0) }
      _ = try done { world.anna.rights.delegate(world.photos, Delegation(coOwners: [3000]), completion: $0) }
    }
    try offer()
    #expect(world.admin(3000).offers.list.map(\.answers) == [.all(.accepted)])
    for answers: InvitationAnswers in [[.user: .declined], [.coOwner: .declined]] {
      _ = try say(world, answers)
      _ = try done { world.anna.rights.offer(world.photos, to: [], completion: $0) }
      _ = try done { world.anna.rights.delegate(world.photos, Delegation(coOwners: []), completion: $0) }
      try offer()
      #expect(
        world.admin(3000).offers.list.map(\.answers) == [InvitationAnswers.all(.accepted).merging(answers) { $1 }])
      _ = try say(world, .all(.accepted))
    }
  }

  @Test func `R127 a library without an offer cannot be answered and looks absent`() throws {
    let world = try World()
    for accepts in [true, false] {
      #expect(code { try answer(world, accepts, world.holidays) } == .notFound(what: "library"))
      #expect(code { try answer(world, accepts, LibraryName("absent")!) } == .notFound(what: "library"))
      #expect(code { try answer(world, accepts, by: World.anna) } == .refused, "one's own")
    }
    #expect(
      world.anna.offers.list.isEmpty && world.store.log.count { $0.role == .user } == 1, "the first acceptance alone")
  }

  @Test
  func `R126 only a displayed offer is accepted: neither co-ownership nor a renamed library besides`()
    throws
  {
    let world = try World()
    let admin = world.admin(3000)
    _ = try done { world.anna.rights.offer(world.photos, to: nil, adding: [3000], completion: $0) }
    _ = try done { world.anna.rights.delegate(world.photos, Delegation(coOwners: [3000]), completion: $0) }
    func accept(_ programs: Bool, _ coOwnership: Bool, of owner: UInt32 = World.anna) throws {
      let answers: InvitationAnswers = [
        .user: programs ? .accepted : .offered, .coOwner: coOwnership ? .accepted : .offered,
      ]
      _ = try done { admin.offers.answer(world.photos, answers, of: owner, completion: $0) }
    }
    #expect(code { try accept(true, false, of: World.bert) } == .notFound(what: "library"))
    #expect(world.library.users(.user, .accepted) == [user], "nothing was accepted")
    try accept(true, false)
    #expect(
      admin.libraries.list.isEmpty && admin.offers.list.map(\.answers) == [[.user: .accepted, .coOwner: .offered]])
    #expect(try world.connect(uid: 3000).library(nil).record.name == world.photos)
    try accept(true, true)
    #expect(world.library.owners == [World.anna, 3000] && admin.offers.list.map(\.answers) == [.all(.accepted)])
    // The listed offer has ended.
    _ = try done { world.anna.rights.offer(world.photos, to: nil, removing: [3000], completion: $0) }
    _ = try answer(world, false, by: 3000)
    #expect(code { try accept(true, false) } == .notFound(what: "library"))
    #expect(admin.offers.list.map(\.answers) == [[.coOwner: .declined]])
  }

  @Test func `R126 R127 undoing an answer restores the earlier answer and nothing more`() throws {
    for (programs, coOwnership) in [(false, false), (true, false), (false, true), (true, true)] {
      let world = try World()
      _ = try done { world.anna.rights.offer(world.photos, to: nil, adding: [3000], completion: $0) }
      _ = try done { world.anna.rights.delegate(world.photos, Delegation(coOwners: [3000]), completion: $0) }
      func say(_ answer: InvitationAnswers) throws -> InvitationAnswers {
        try done { world.admin(3000).offers.answer(world.photos, answer, completion: $0) }.before
      }
      let first: InvitationAnswers = [
        .user: programs ? .accepted : .offered, .coOwner: coOwnership ? .accepted : .offered,
      ]
      #expect(try say(first) == .all(.offered))
      let record = world.library.record
      for state in [Invitation.State.declined, .accepted] {
        let before = try say(.all(state))
        #expect(before == first && (world.library.record != record || first == .all(state)))
        _ = try say(before)
        #expect(world.library.record == record)
        try world.restart()
        #expect(
          world.library.record == record && world.library.owners == (coOwnership ? [World.anna, 3000] : [World.anna]))
      }
      // A refusal can be restored like any other answer.
      _ = try say(.all(.declined))
      let before = try say(.all(.accepted))
      #expect(before == .all(.declined))
      _ = try say(before)
      #expect(world.library.users(.user, .declined) == [3000])
    }
  }

  /// A library that is offered to the programs of user 3000 and that invites them as co-owner.
  private func offeredForBoth() throws -> World {
    let world = try World()
    _ = try done { world.anna.rights.offer(world.photos, to: nil, adding: [3000], completion: $0) }
    _ = try done { world.anna.rights.delegate(world.photos, Delegation(coOwners: [3000]), completion: $0) }
    return world
  }

  private func say(_ world: World, _ answer: InvitationAnswers) throws -> InvitationAnswers {
    let answered = try done { world.admin(3000).offers.answer(world.photos, answer, completion: $0) }
    return answered.before
  }

  @Test func `R126 R127 a declined role stays declined when another is accepted`() throws {
    let world = try offeredForBoth()
    _ = try say(world, [.user: .offered, .coOwner: .declined])
    _ = try done { world.anna.rights.delegate(world.photos, Delegation(coOwners: []), completion: $0) }
    let before = try say(world, .all(.accepted))
    #expect(world.library.users(.user, .accepted).contains(3000))
    #expect(world.library.record[.coOwner, 3000] == Invitation(.declined, isOpen: false))
    _ = try done { world.anna.rights.delegate(world.photos, Delegation(coOwners: [3000]), completion: $0) }
    #expect(world.admin(3000).offers.list.map(\.answers[.coOwner]) == [.declined], "named again, it does not wait")
    // Accepting withdraws refusals of present offers; the earlier answer restores all of them.
    _ = try say(world, .all(.accepted))
    #expect(world.library.owners == [World.anna, 3000])
    _ = try done { world.anna.rights.delegate(world.photos, Delegation(coOwners: []), completion: $0) }
    _ = try say(world, .all(.declined))
    _ = try say(world, [.user: .accepted, .coOwner: .offered])
    #expect(world.library.record[.coOwner, 3000].state == .offered && before[.coOwner] == .declined)
  }

  @Test func `R126 R127 co-ownership and use by programs are answered separately`()
    throws
  {
    let world = try offeredForBoth()
    func stands(_ programs: Invitation.State, _ coOwnership: Invitation.State) throws {
      for _ in 0..<2 {
        #expect(world.admin(3000).offers.list.map(\.answers) == [[.user: programs, .coOwner: coOwnership]])
        let session = world.connect(uid: 3000)
        #expect(session.libraries == (programs == .declined ? [] : [world.photos]))
        #expect(
          (try? session.library(nil).record.name) == (programs == .accepted ? world.photos : nil),
          "an app that names no library")
        #expect(world.library.isOwner(3000) == (coOwnership == .accepted))
        #expect(world.library.users(.user, .declined) == (programs == .declined ? [3000] : []))
        #expect(world.library.users(.coOwner, .declined) == (coOwnership == .declined ? [3000] : []))
        try world.restart()
      }
    }
    try stands(.offered, .offered)
    _ = try say(world, [.coOwner: .accepted])
    try stands(.offered, .accepted)
    _ = try say(world, [.user: .declined])
    try stands(.declined, .accepted)
    let before = try say(world, [.user: .accepted, .coOwner: .declined])
    try stands(.accepted, .declined)
    // A new invitation stays declined, and the earlier answer can be restored.
    _ = try done { world.anna.rights.delegate(world.photos, Delegation(coOwners: []), completion: $0) }
    _ = try done { world.anna.rights.delegate(world.photos, Delegation(coOwners: [3000]), completion: $0) }
    try stands(.accepted, .declined)
    _ = try say(world, before)
    try stands(.declined, .accepted)
    _ = try say(world, .all(.declined))
    try stands(.declined, .declined)
    let log = world.store.log.filter { $0.actor == 3000 }
    #expect(log.map(\.action) == ["accept", "decline", "accept", "accept", "decline"])
    #expect(log.first?.before == "offered to user 3000")
    #expect(log.first?.after == "offered to user 3000 for programs, accepted by user 3000 as co-owner")
    #expect(log.last?.after == "declined by user 3000")
  }

  @Test func `R126 R127 declining for programs ends their access and prompts, and not co-ownership`()
    throws
  {
    let world = try offeredForBoth()
    _ = try done { world.admin(3000).offers.answer(world.photos, .all(.accepted), completion: $0) }
    let (app, asking) = (try world.app(uid: 3000), try world.app(.test("org.example.asks"), uid: 3000))
    app.requestAuthorization(level: .readWrite) { _ in }
    try world.answer(.allow)
    let permit = try app.authorize(.read)
    asking.requestAuthorization(level: .readWrite) { _ in }
    let receipt = try done { world.admin(3000).offers.answer(world.photos, [.user: .declined], completion: $0) }.receipt
    #expect(receipt.grants == 1 && !world.broker.mayRelease(permit))
    #expect(code { try app.authorize(.read) } == .tokenRefused && world.anna.prompts.views(language: nil).isEmpty)
    #expect(world.library.owners == [World.anna, 3000])
  }

  @Test func `R126 a co-owner's offer to their own programs needs no answer`() throws {
    let world = try World()
    _ = try done { world.anna.rights.delegate(world.photos, Delegation(coOwners: [3000]), completion: $0) }
    try world.accept(world.photos, by: 3000)
    _ = try done { world.admin(3000).rights.offer(world.photos, to: nil, adding: [3000, 3001], completion: $0) }
    #expect(try world.connect(uid: 3000).library(nil).record.name == world.photos)
    #expect(code { try world.connect(uid: 3001).library(nil) } == .photos(.identifierNotFound), "others are asked")
  }

  @Test func `R127 an undone acceptance is recorded as an undo`() throws {
    let world = try World()
    let before = try done { world.admin(user).offers.answer(world.photos, .all(.declined), completion: $0) }.before
    _ = try answer(world, true)
    _ = try done {
      world.admin(user).offers.answer(world.photos, .all(.offered), completion: $0)
    }
    #expect(before[.user] == .accepted)
    let record = try #require(world.store.log.last)
    #expect(
      (record.role, record.action, record.before, record.after) == (
        .user, "undo", "accepted by user 2000", "offered to user 2000"
      ))
  }

  @Test func `R127 a repeated answer changes and records nothing`() throws {
    let world = try World()
    _ = try answer(world, true)
    _ = try answer(world, false)
    _ = try answer(world, false)
    #expect(world.store.log.count { $0.role == .user } == 2, "accepted at first, and declined once")
  }

  @Test func `R127 a refusal holds before the disk has it, an acceptance after, and the last answer counts`() throws {
    let world = try World()
    let app = try world.app(.allow)
    _ = try answer(world, false)
    world.store.isDeferred = true
    let admin = world.admin(user)
    admin.offers.answer(world.photos, .all(.accepted)) { _ in }
    #expect(code { try app.authorize(.read) } == .tokenRefused)
    admin.offers.answer(world.photos, .all(.declined)) { _ in }
    world.store.complete()
    #expect(code { try app.authorize(.read) } == .tokenRefused, "declined again meanwhile")
    world.store.completeAll()
    #expect(world.library.users(.user, .declined) == [user] && world.connect().libraries.isEmpty)
  }

  @Test(arguments: [false, true])
  func `R127 a failed write of an answer changes nothing, and the answer can be repeated`(accepts: Bool) throws {
    let world = try World()
    let app = try world.app(.allow)
    if accepts { _ = try answer(world, false) }
    let (libraries, record, log) = (app.libraries, world.library.record, world.store.log.count)
    world.store.refusals = 1
    #expect(code { try answer(world, accepts) } == .failed)
    #expect(app.libraries == libraries && world.library.record == record && world.store.log.count == log)
    if !accepts { #expect(try app.authorize(.read).grant.record.key == world.key(app), "what it was given holds") }
    // A refused answer does not count as given.
    _ = try answer(world, accepts)
    #expect(world.store.log.count == log + 1)
    try world.restart()
    #expect(world.connect().libraries == (accepts ? [world.photos] : []))
  }

  @Test func `R131 changes of mind about a library displace none of its decisions`() throws {
    let world = try World()
    let app = try world.app(.allow)
    // An hour after the user accepted the library.
    world.environment.advance(.seconds(3601))
    func entered() -> Int { world.store.log.count { $0.role == .user } }
    let most = BrokerLimits.acceptancesPerHour
    _ = try answer(world, false)
    for _ in 1..<most {
      _ = try answer(world, true)
      _ = try answer(world, false)
    }
    _ = try answer(world, true)
    let before = entered()
    #expect(code { try app.authorize(.read) } == nil)
    // Declining takes effect at once, without limit, and is recorded once.
    _ = try answer(world, false)
    _ = try answer(world, false)
    #expect(code { try app.authorize(.read) } == .tokenRefused && entered() == before + 1)
    for _ in 0..<2 {
      #expect(code { try answer(world, true) } == .refused)
      // Accepting without any part is no answer, and does not evade the limit.
      #expect(
        code {
          try done {
            world.admin(user).offers.answer(
              world.photos, [.user: .offered, .coOwner: .accepted], completion: $0)
          }
        }
          == .notFound(what: "library"))
    }
    #expect(entered() == before + 1 && world.library.users(.user, .declined) == [user])
    world.environment.advance(.seconds(3601))
    _ = try answer(world, true)
    #expect(world.library.users(.user, .accepted).contains(user) && entered() == before + 2)
  }

  @Test func `R131 changes of mind about all an owner's offers displace none either`() throws {
    let world = try World()
    // An hour after the user accepted the library.
    world.environment.advance(.seconds(3601))
    func entered() -> Int { world.store.log.count { $0.role == .user } }
    let before = entered()
    for _ in 0..<BrokerLimits.acceptancesPerHour {
      _ = try answers(world, false)
      _ = try answers(world, true)
    }
    _ = try answers(world, false)
    #expect(code { try answers(world, true) } == .refused)
    #expect(
      world.admin(user).offers.declinedUsers == [World.anna]
        && entered() == before + 2 * BrokerLimits.acceptancesPerHour + 1)
    world.environment.advance(.seconds(3601))
    _ = try answers(world, true)
    #expect(world.admin(user).offers.declinedUsers == [])
  }

  private func answers(_ world: World, from owner: UInt32 = World.anna, _ accepts: Bool, by uid: UInt32 = World.appUser)
    throws -> Receipt
  {
    try done { world.admin(uid).offers.answerAll(from: owner, accepts: accepts, completion: $0) }
  }

  @Test func `R127 declining all a user's offers hides every present and later one until accepted`()
    throws
  {
    let world = try World()
    let app = try world.app(.allow)
    let permit = try app.authorize(.read)
    #expect(try answers(world, false).grants == 1)
    #expect(!world.broker.mayRelease(permit))
    #expect(code { try app.authorize(.read) } == .tokenRefused)
    #expect(app.libraries.isEmpty && world.broker.view(of: world.broker.grant(world.key(app))!) == nil)
    let later = try #require(LibraryName("later"))
    _ = try done {
      world.anna.libraries.add(later, backend: "directory", options: [:], offeredTo: [user], completion: $0)
    }
    #expect(
      world.connect().libraries.isEmpty && code { try world.connect().library(later) } == .photos(.identifierNotFound))
    // Offers of others, and all other users' access, are unchanged.
    _ = try done { world.bert.rights.offer(world.holidays, to: [user], completion: $0) }
    #expect(
      world.connect().libraries == [world.holidays]
        && world.connect(uid: World.anna).libraries == [later, world.photos])
    #expect(world.library.users(.user, .declined) == [user] && world.admin(user).offers.declinedUsers == [World.anna])
    #expect(code { try answer(world, true) } == .refused, "one alone is not accepted")
    try world.restart()
    #expect(world.connect().libraries == [world.holidays])
    #expect(world.admin(user).offers.list.map(\.answers[.user]) == [.offered, .declined, .declined])
    _ = try answers(world, true)
    #expect(world.connect().libraries == [world.holidays, later, world.photos])
    try world.restart()
    #expect(world.connect().libraries == [world.holidays, later, world.photos])
    let words = world.store.log.filter { $0.role == .user }.map {
      "\($0.action) \($0.library.map(\.description) ?? "")"
    }
    #expect(words == ["accept photos", "decline photos", "accept later", "accept photos"])
  }

  @Test func `R127 individually declined libraries stay declined when all are accepted again`() throws {
    let world = try World()
    _ = try answer(world, false)
    _ = try answers(world, false)
    _ = try answers(world, true)
    #expect(world.connect().libraries.isEmpty && world.library.users(.user, .declined) == [user])
  }

  @Test(arguments: [false, true])
  func `R127 a failed write of an answer to a user's offers changes nothing`(accepts: Bool) throws {
    let world = try World()
    let app = try world.app(.allow)
    let asking = try world.app()
    asking.requestAuthorization(level: .readWrite) { _ in }
    if accepts { _ = try answers(world, false) }
    let (libraries, prompts) = (app.libraries, world.anna.prompts.views(language: nil).map(\.prompt.identifier))
    let (declined, log) = (world.admin(user).offers.declinedUsers, world.store.log.count)
    world.store.refusals = 1
    #expect(code { try answers(world, accepts) } == .failed)
    #expect(app.libraries == libraries && world.anna.prompts.views(language: nil).map(\.prompt.identifier) == prompts)
    #expect(
      world.admin(user).offers.declinedUsers == declined
        && world.library.users(.user, .declined) == Set(declined.isEmpty ? [] : [user]))
    #expect(world.store.log.count == log)
    if !accepts { #expect(try app.authorize(.read).grant.record.key == world.key(app), "what it was given holds") }
    try world.restart()
    #expect(world.connect().libraries == libraries && world.admin(user).offers.declinedUsers == declined)
    #expect(world.anna.prompts.views(language: nil).map(\.prompt.identifier) == prompts)
  }

  @Test func `R127 a general refusal holds before the disk has it, an acceptance after, in order`()
    throws
  {
    let world = try World()
    world.store.isDeferred = true
    let said = Box<[String]>()
    said.value = []
    let admin = world.admin(user)
    func answer(_ accepts: Bool) {
      admin.offers.answerAll(from: World.anna, accepts: accepts) { result in
        said.value?.append("\(accepts) \((try? result.get()) != nil)")
      }
    }
    for accepts in [false, true, false] { answer(accepts) }
    #expect(world.connect().libraries.isEmpty)
    world.store.complete()
    #expect(said.value == ["false true"] && world.connect().libraries.isEmpty, "accepted once the disk has it")
    world.store.refusals = 1
    world.store.complete()
    #expect(said.value == ["false true", "true false", "false true"] && world.connect().libraries.isEmpty)
    world.store.completeAll()
    #expect(admin.offers.declinedUsers == [World.anna])
  }

  @Test func `R127 prompts of a user's apps end when the user declines`() throws {
    for isWhole in [false, true] {
      let world = try World()
      let app = try world.app()
      let told = Box<Result<Authorization, BrokerError>>()
      app.requestAuthorization(level: .readWrite) { told.value = $0 }
      let other = try world.app(.test("org.example.annas"), uid: World.anna)
      other.requestAuthorization(level: .readWrite) { _ in }
      #expect(world.anna.prompts.views(language: nil).count == 2)
      _ = isWhole ? try answers(world, false) : try answer(world, false)
      #expect(world.anna.prompts.views(language: nil).map(\.prompt.key.app) == [other.app?.identifier])
      #expect(told.value != nil, "who waits is told")
      try world.restart()
      #expect(world.anna.prompts.views(language: nil).count == 1)
    }
  }

  @Test func `R127 a user declines offers of a limited number of users`() throws {
    let world = try World()
    for owner in 0..<UInt32(BrokerLimits.declinedUsers) { _ = try answers(world, from: 5_000 + owner, false) }
    #expect(code { try answers(world, false) } == .refused)
    #expect(code { try answers(world, from: World.appUser, false) } == .refused, "one's own")
    _ = try answers(world, from: 5_000, true)
    _ = try answers(world, false)
  }

  @Test func `R138 apps registered for a user by others use no quota of the user, who may remove them`() throws {
    let world = try World()
    let idle = try world.app()
    idle.close()
    let kept = try #require(idle.app).identifier
    var brought: [AppIdentifier] = []
    for number in 0...BrokerLimits.appsPerUser {
      brought.append(
        try done { world.anna.apps.add(.test("org.example.n\(number)"), user: user, completion: $0) }.app.identifier)
    }
    #expect(world.broker.app(kept) != nil, "the user's own")
    #expect(world.broker.app(brought[0]) == nil && world.broker.app(brought[1]) != nil, "the oldest of the registrar's")
    // With a decision of another user, which otherwise keeps an app.
    let decided = try #require(brought.last)
    _ = try done {
      world.anna.grants.set(
        library: world.photos, app: decided, level: .readWrite, GrantSettings(status: .authorized), completion: $0)
    }
    let receipt = try done { world.admin(user).apps.remove(decided, completion: $0) }
    #expect(
      world.broker.app(decided) == nil && receipt.grants == 0, "of other people's libraries the receipt says nothing")
    let record = try #require(world.store.log.last)
    #expect(record.role == .user && record.actor == user && record.app == decided && record.library == world.photos)
  }

  @Test func `R138 used apps registered for others count against the registrar only`() throws {
    let world = try World()
    for number in 0..<BrokerLimits.appsPerUser {
      let app = try done { world.anna.apps.add(.test("org.example.n\(number)"), user: user, completion: $0) }.app
        .identifier
      _ = try done {
        world.anna.grants.set(
          library: world.photos, app: app, level: .readWrite, GrantSettings(status: .denied), completion: $0)
      }
    }
    #expect(code { try done { world.anna.apps.add(.test(), user: user, completion: $0) } } == .photos(.limitExceeded))
    for _ in 0..<3 { _ = try world.app() }
    _ = try done { world.admin(user).apps.add(.test("org.example.own"), completion: $0) }
    _ = try done { world.root.apps.add(.test("org.example.root"), user: user, completion: $0) }
  }

  @Test func `a library is offered to a limited number of users`() throws {
    let world = try World()
    let most = Set((0..<UInt32(BrokerLimits.usersPerLibrary - 1)).map { 3_000 + $0 })
    _ = try done { world.anna.rights.offer(world.photos, to: most, completion: $0) }
    #expect(world.library.record.offeredTo.count == BrokerLimits.usersPerLibrary, "the owner among them")
    for more in [most.union([9]), Set([9])] {
      #expect(
        code {
          try done { world.anna.rights.offer(world.photos, to: more == [9] ? nil : more, adding: [9], completion: $0) }
        }
          == .refused)
    }
    _ = try done { world.anna.rights.offer(world.photos, to: nil, adding: [9], removing: [3_000], completion: $0) }
    let name = try #require(LibraryName("wide"))
    #expect(
      code {
        try done {
          world.bert.libraries.add(name, backend: "directory", options: [:], offeredTo: most.union([9]), completion: $0)
        }
      }
        == .refused)
  }
}
