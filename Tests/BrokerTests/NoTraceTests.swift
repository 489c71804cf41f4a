import Broker
import Catalogue
import Macaroons
import PhotoModel
import TestSupport
import Testing

/// Two libraries that differ only in assets invisible to an app give it the same bytes.
struct NoTraceTests {
  /// All answers that the app gets, as text.
  private static func transcript(_ answer: PromptAnswer, hiding: Bool) throws -> [String] {
    let world = try World()
    let session = try world.app(answer, selecting: answer == .select ? [1, 3, 5] : [])
    let other = try world.environment.aside {
      try world.app(.select, selecting: [2], manifest: .test("org.example.other"))
    }
    let permit = try session.authorize(.read)
    let seals = try world.library.seals[permit.app]
    var lines: [String] = []
    var token: String?

    func secretly(_ body: () throws -> Void) throws {
      if hiding { try world.environment.aside(body) }
    }
    func tell() throws {
      let view = try #require(permit.view)
      var cursor: CursorPosition?
      repeat {
        let page = try world.library.catalogue.answer(Query(), view: view, limit: 2, after: cursor)
        let rows = world.library.assets.rows(of: page)
        let identifiers = try seals.seal(rows.map(\.identifier))
        lines.append("page \(identifiers) \(rows.map(\.fileName)) \(try seals.versions(of: rows))")
        cursor = page.next
        if let cursor { lines.append("cursor \(try seals.seal(cursor, options: []))") }
      } while cursor != nil
      lines.append("count \(world.library.assets.visibleCount(permit.grant))")
      let event = try world.changes(permit, since: token)
      let names = (event.inserted + event.changed).map(\.fileName)
      lines.append("event \(event.token) \(names) \(event.removed) \(event.albumsChanged) \(event.resynchronize)")
      token = event.token
    }

    var hidden = -1
    try tell()
    // Never visible to anybody: hidden from its first moment.
    try secretly { hidden = try world.insert("secret.jpg", flags: .hidden) }
    try tell()
    try secretly {
      try world.update(hidden)
      try world.mark([hidden], favourite: true)
      _ = try world.edit(other, add: [hidden, 4])
      _ = try world.edit(other, remove: [hidden])
      if answer == .select { _ = try world.edit(session, add: [hidden]) }
    }
    try tell()
    let first = try world.insert("visible.jpg")
    if answer == .select { _ = try world.edit(session, add: [first]) }
    try tell()
    try secretly {
      try world.mark([hidden], neverShare: true)
      try world.mark([hidden], favourite: false, hidden: false)
    }
    try world.update(first)
    try tell()
    try world.environment.aside { try world.restart() }
    try secretly { try world.remove(hidden) }
    try world.mark([first], favourite: true)
    let after = try Self.reattached(world, permit)
    let event = try world.changes(after, since: token)
    lines.append(
      "after restart \(event.token) \(event.changed.map(\.fileName)) \(event.inserted.count) \(event.removed)")
    if answer == .select {
      // Never selected: a limited app must not notice other photos.
      try secretly {
        let unselected = try world.insert("unselected.jpg")
        try world.update(unselected)
        try world.mark([unselected], hidden: true)
        try world.mark([unselected], hidden: false)
        try world.remove(unselected)
      }
      let event = try world.changes(after, since: event.token)
      lines.append("unselected \(event.token) \(event.isEmpty)")
    }
    return lines
  }

  /// The answers that an app gets over a long time with many invisible changes.
  private static func life(bursts: Bool, seed: UInt64) throws -> [String] {
    let world = try World()
    var random = SeededGenerator(seed)
    var permit = try world.app(.select, selecting: [1, 3, 5]).authorize(.read)
    let other = try world.environment.aside {
      try world.app(.select, selecting: [2], manifest: .test("org.example.other"))
    }
    let unselected = try world.environment.aside { try world.insertMany(6_000, "unselected") }
    var names: [AssetIdentifier] = []
    for number in [1, 3] {
      names.append(try world.library.seals[permit.app].seal(try #require(world.row(number)).identifier))
    }
    var lines: [String] = []
    var tokens: [String] = []

    func burst() throws {
      for _ in 0..<2 {
        _ = try world.edit(other, add: unselected)
        _ = try world.edit(other, remove: unselected)
      }
      try world.mark(unselected.suffix(50), hidden: true)
      try world.mark(unselected.suffix(90), favourite: true)
      try world.update(unselected[0])
    }
    for round in 0..<24 {
      if bursts, round % 10 == 2, round < 20 { try world.environment.aside(burst) }
      world.broker.changeLogTrimmer.trim()
      // In one of the two runs visible changes are processed before the app asks.
      if bursts { _ = world.library.changes.noteSeen(by: permit.grant, while: { true }) }
      switch Int.random(in: 0..<5, using: &random) {
      case 0: try world.mark([[1, 3, 5].randomElement(using: &random)!], favourite: Bool.random(using: &random))
      case 1: try world.mark([[1, 3, 5].randomElement(using: &random)!], hidden: Bool.random(using: &random))
      case 2: try world.mark([7], hidden: Bool.random(using: &random))
      case 3: try world.update([1, 3, 5].randomElement(using: &random)!)
      default: break
      }
      if round % 8 == 7 {
        try world.environment.aside { try world.restart() }
        permit = try reattached(world, permit)
      }
      let attenuation = try world.library.attenuation(to: names, for: permit.app)
      for (index, token) in tokens.enumerated() where index % 2 == round % 2 {
        let isNarrow = index % 3 == 0
        do throws(BrokerError) {
          let event = try world.library.changes.list(
            since: token, grant: permit.grant, attenuation: isNarrow ? attenuation : nil)
          let told = (event.inserted + event.changed).map(\.fileName)
          lines.append("\(round) \(index) \(event.token) \(told) \(event.removed) \(event.resynchronize)")
        } catch { lines.append("\(round) \(index) \(error)") }
      }
      let isNarrow = tokens.count % 3 == 0
      tokens.append(
        try world.library.changes.list(since: nil, grant: permit.grant, attenuation: isNarrow ? attenuation : nil).token
      )
    }
    if bursts { #expect(world.kept.changesForgotten > 45_000, "the log was forgotten, more than once") }
    #expect(!lines.contains { $0.hasSuffix("true") || $0.contains("Expired") }, "every token is good, however old")
    return lines
  }

  @Test func `R40 R71 R113 the reach of change tokens does not depend on invisible activity`()
    throws
  {
    let plain = try Self.life(bursts: false, seed: 1)
    let busy = try Self.life(bursts: true, seed: 1)
    #expect(plain == busy)
    #expect(plain.count > 100 && Set(plain).count > 60)
  }

  private static func reattached(_ world: World, _ permit: Permit) throws -> Permit {
    let session = world.connect()
    _ = try session.attach(
      done { world.anna.tokens.mint(library: world.photos, app: permit.app, level: .readWrite, completion: $0) }.text)
    return try session.authorize(.read)
  }

  @Test(arguments: [PromptAnswer.select, .allow])
  func `R40 R71 hidden photos and their history leave no trace for an app`(_ answer: PromptAnswer) throws {
    let plain = try Self.transcript(answer, hiding: false)
    let hiding = try Self.transcript(answer, hiding: true)
    #expect(plain.count == hiding.count)
    let first = zip(plain, hiding).first { $0 != $1 }
    #expect(first?.0 == first?.1, "the first thing that differs")
    #expect(plain.count > 20 && Set(plain).count > 10, "the app was told something")
  }

  @Test func `R40 a hidden asset's identifier and an unknown one give the same error`() throws {
    let world = try World()
    let session = try world.app(.select, selecting: [1])
    let permit = try session.authorize(.read)
    try world.mark([3], hidden: true)
    let view = try #require(permit.view)
    let internals = [2, 3].map { world.library.catalogue.row(of: AssetNumber($0))!.identifier }
    for identifier in internals + [AssetIdentifier(high: 1, low: 2)] {
      #expect(throws: BrokerError.identifierNotFound()) { try world.library.assets.asset(identifier, in: view) }
      let sealed = try world.library.seals[permit.app].seal(identifier)
      let writing = try session.authorize(.edit)
      #expect(throws: BrokerError.identifierNotFound()) {
        try world.perform(writing, [.setFavorite([AssetTarget(identifier: sealed)], true)])
      }
    }
  }

  @Test func `R71 an attenuated token is notified of its own photos only`() throws {
    let world = try World()
    let session = try world.app(.allow)
    let permit = try session.authorize(.read)
    let own = try world.library.seals[permit.app]
    let named = try [1, 2].map { try own.seal(world.library.catalogue.row(of: AssetNumber($0))!.identifier) }
    let attenuation = try world.library.attenuation(to: named, for: permit.app)
    func changes(_ token: String?) throws -> ChangeEvent {
      try world.library.changes.list(since: token, grant: permit.grant, attenuation: attenuation)
    }
    let start = try changes(nil).token
    try world.mark([1, 5], hidden: true)
    try world.mark([2, 6], favourite: true)
    let new = try world.insert("new.jpg")
    let seals = try world.library.seals[permit.app]
    let event = try changes(start)
    #expect(event.removed == [try seals.seal(world.library.catalogue.row(of: AssetNumber(1))!.identifier)])
    #expect(event.changed.map(\.number) == [AssetNumber(2)] && event.inserted.isEmpty && !event.resynchronize)
    // Changes of invisible assets do not even change the token.
    try world.remove(new)
    try world.remove(7)
    try world.mark([6], favourite: false)
    #expect(try changes(nil).token == event.token)
    #expect(try changes(event.token).isEmpty)
    try world.remove(2)
    #expect(try changes(event.token).removed == [named[1]], "also of a photo whose record is gone")
  }

  @Test func `foreign, damaged and invented change tokens are refused alike`() throws {
    let world = try World()
    let session = try world.app(.allow)
    let other = try world.app(.allow, manifest: .test("org.example.other"))
    let permit = try session.authorize(.read)
    let foreign = try world.changes(other.authorize(.read), since: nil).token
    let mine = try world.changes(permit, since: nil).token
    let page = try world.library.catalogue.answer(Query(), view: permit.view!, limit: 2, after: nil)
    let cursor = try world.library.seals[permit.app].seal(#require(page.next), options: [])
    var damaged = Array(mine)
    damaged[3] = damaged[3] == "A" ? "B" : "A"
    for text in [foreign, cursor, String(damaged), "", "AAAA", String(repeating: "A", count: 5_000)] {
      #expect(
        code { try world.changes(permit, since: text) } == .photos(.persistentChangeTokenExpired), "\(text.prefix(40))")
    }
    #expect(try world.changes(permit, since: mine).isEmpty)
  }

  @Test func `a token older than the kept changes is refused as too old`() throws {
    let world = try World()
    let permit = try world.app(.allow).authorize(.read)
    let old = try world.changes(permit, since: nil).token
    for round in 0..<5 {
      _ = try world.changes(permit, since: nil)
      _ = try done {
        world.library.scan.apply((0..<1_000).map { .insert(world.photo("\(round)-\($0).jpg")) }, completion: $0)
      }
    }
    #expect(code { try world.changes(permit, since: old) } == .photos(.persistentChangeTokenExpired))
  }

  @Test func `more changes than fit one event ask the app to fetch again`() throws {
    let world = try World()
    let permit = try world.app(.allow).authorize(.read)
    let before = try world.changes(permit, since: nil).token
    func insert(_ count: Int) throws {
      _ = try done { world.library.scan.apply((0..<count).map { .insert(world.photo("\($0).jpg")) }, completion: $0) }
    }
    try insert(LibraryChanges.eventLimit)
    let event = try world.changes(permit, since: before)
    #expect(event.inserted.count == LibraryChanges.eventLimit && !event.resynchronize)
    try insert(1)
    #expect(try world.changes(permit, since: before).resynchronize)
  }
}
