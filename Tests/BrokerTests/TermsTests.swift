import Broker
import Macaroons
import PhotoModel
import Testing

@Suite struct TermsTests {
  private func set(_ world: World, _ app: Session, _ terms: GrantTerms.Choice, by admin: AdminSession? = nil) throws {
    var settings = GrantSettings()
    settings.terms = terms
    _ = try done {
      (admin ?? world.anna).grants.set(
        library: world.photos, app: app.app!.identifier, level: .readWrite, settings, completion: $0)
    }
  }

  @Test func `R149 limited access has no places until its owner lets it, full access has them`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    #expect(try app.authorize(.read).withheld == .location)
    _ = try world.set(app, .authorized)
    #expect(try app.authorize(.read).withheld == [])
    _ = try world.set(app, .limited)
    #expect(try app.authorize(.read).withheld == .location)
    try set(world, app, .init(location: true))
    #expect(try app.authorize(.read).withheld == [])
    #expect(try app.describeAccess(.readWrite).withheld == [])
  }

  @Test func `R149 an answer has terms of its own, and they survive a restart`() throws {
    let world = try World()
    let app = try world.app()
    app.requestAuthorization(level: .readWrite) { _ in }
    try world.answer(.allow, terms: .init(location: false, captions: false, files: true, changes: false))
    #expect(try app.authorize(.read).withheld == [.location, .captions])
    #expect(code { try app.authorize(.edit) } == .photos(.accessUserDenied))
    try world.restart()
    let record = try #require(world.anna.grants.list().first).record
    #expect(record.terms == GrantTerms(location: false, captions: false, files: true, changes: false))
  }

  @Test func `R149 access begins with its library's terms, once`() throws {
    let world = try World()
    let held = try world.app(.select, selecting: [1])
    let chosen = GrantTerms(location: true, captions: false, files: true, changes: false)
    _ = try done { world.anna.rights.decide(.terms, in: world.photos, { $0.defaultTerms = chosen }, completion: $0) }
    #expect(try held.authorize(.read).withheld == .location)
    try world.restart()
    #expect(world.library.record.defaultTerms == chosen)
    let app = try world.app(.select, selecting: [1])
    #expect(try app.authorize(.read).withheld == .captions)
    #expect(code { try app.authorize(.edit) } == .photos(.accessUserDenied))
    // Facts that a person withheld stay so in access that comes back.
    try set(world, app, .init(files: false))
    _ = try world.set(app, .denied)
    _ = try world.set(app, .limited)
    let back = try #require(world.anna.grants.list().first { $0.record.key.app == app.app?.identifier }).record
    #expect(back.status == .limited && back.termsInForce.withheld == [.location, .captions, .files])
  }

  @Test func `R149 an answer gives the default terms that its request showed`() throws {
    let world = try World()
    let app = try world.app()
    app.requestAuthorization(level: .readWrite) { _ in }
    let shown = try #require(world.anna.prompts.views(language: nil).first?.terms)
    _ = try done {
      world.anna.rights.decide(
        .terms, in: world.photos, { $0.defaultTerms.location = true }, completion: $0)
    }
    try world.answer(.select, selecting: [1])
    let record = try #require(world.anna.grants.list().first).record
    #expect(record.termsInForce == shown && shown.location == false)
  }

  @Test func `R149 access that comes back keeps the places that a person withheld`() throws {
    let world = try World()
    let app = try world.app()
    app.requestAuthorization(level: .readWrite) { _ in }
    try world.answer(.allow, terms: .init(location: false))
    _ = try done {
      world.anna.rights.decide(
        .terms, in: world.photos, { $0.defaultTerms.location = true }, completion: $0)
    }
    _ = try world.set(app, .denied)
    _ = try world.set(app, .limited)
    #expect(try #require(world.anna.grants.list().first).record.termsInForce.location == false)
  }

  @Test func `R149 terms go with access to photos only`() throws {
    let world = try World()
    let app = try world.app()
    app.requestAuthorization(level: .readWrite) { _ in }
    #expect(code { try world.answer(.deny, terms: .init(location: true)) } == .refused)
    try world.answer(.deny)
    #expect(code { try set(world, app, .init(location: true)) } == .refused)
  }

  @Test func `R150 a permit of before a restriction is not released`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let permit = try app.authorize(.read)
    try set(world, app, .init(location: false))
    #expect(!world.broker.mayRelease(permit))
    #expect(try app.authorize(.read).withheld == .location)
  }

  @Test func `R150 a change of withheld facts ends change tokens`() throws {
    let world = try World()
    let app = try world.app(.allow)
    let token = try world.changes(app.authorize(.read), since: nil).token
    try set(world, app, .init(location: false))
    #expect(try world.changes(app.authorize(.read), since: token).resynchronize)
  }

  @Test func `R149 pictures that stand for files have a size, and fewer pixels are a restriction`() throws {
    let world = try World()
    let app = try world.app(.allow)
    #expect(try app.describeAccess(.readWrite).pixels == nil)
    try set(world, app, .init(files: false))
    #expect(try app.describeAccess(.readWrite).pixels == 2_560)
    try set(world, app, .init(files: false, pixels: 1_024))
    let permit = try app.authorize(.read)
    #expect(try permit.pixels == 1_024 && app.describeAccess(.readWrite).pixels == 1_024)
    try set(world, app, .init(files: false, pixels: 512), by: world.root)
    #expect(try !world.broker.mayRelease(permit) && app.authorize(.read).pixels == 512)
    #expect(code { try set(world, app, .init(files: false, pixels: 1_024), by: world.root) } == .notPermitted)
    #expect(code { try set(world, app, .init(files: true), by: world.root) } == .notPermitted)
    #expect(world.store.log.last?.after == "authorized, with location, pictures up to 512 pixels")
    try world.restart()
    let record = try #require(world.anna.grants.list().first).record
    #expect(record.terms == GrantTerms(location: true, captions: true, files: false, pixels: 512, changes: true))
    let decision = UInt64(world.store.log.count - 1)
    _ = try done { world.anna.decisions.undo(decision, completion: $0) }
    #expect(try #require(world.anna.grants.list().first).record.terms.pixels == 1_024)
  }

  @Test func `R149 fewer pixels are in force before they are stored, more only afterwards`() throws {
    let world = try World()
    let app = try world.app(.allow)
    world.store.isDeferred = true
    for (pixels, inForce) in [(1_024, 1_024), (512, 512), (2_048, 512)] {
      var settings = GrantSettings()
      settings.terms = .init(files: false, pixels: pixels)
      world.anna.grants.set(library: world.photos, app: app.app!.identifier, level: .readWrite, settings) { _ in }
      #expect(try app.authorize(.read).pixels == inForce)
    }
    world.store.completeAll()
    #expect(try app.authorize(.read).pixels == 2_048)
  }

  @Test func `R149 a size of pictures does not outlive the choice of files`() {
    var terms = pictures(512)
    GrantTerms.Choice(captions: false).apply(to: &terms)
    #expect(terms.pixels == 512)
    GrantTerms.Choice(files: true).apply(to: &terms)
    GrantTerms.Choice(files: false).apply(to: &terms)
    #expect(terms.pixels == 2_560)
  }

  private func pictures(_ pixels: Int) -> GrantTerms {
    GrantTerms(location: nil, captions: true, files: false, pixels: pixels, changes: true)
  }

  @Test func `R149 access begins with its library's size of pictures`() throws {
    let world = try World()
    _ = try done {
      world.anna.rights.decide(.terms, in: world.photos, { $0.defaultTerms = pictures(1_024) }, completion: $0)
    }
    try world.restart()
    #expect(world.library.record.defaultTerms == pictures(1_024))
    #expect(try world.app(.select, selecting: [1]).authorize(.read).pixels == 1_024)
  }

  @Test func `R151 a read-only app sees, and changes nothing`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    try set(world, app, .init(changes: false))
    #expect(try world.fetch(app) == [1, 2])
    for verb in [Verbs.edit, .add, .delete] {
      #expect(code { try app.authorize(verb) } == .photos(.accessUserDenied))
    }
    #expect(try app.describeAccess(.readWrite).verbs.isDisjoint(with: [.edit, .add, .delete]))
    try set(world, app, .init(changes: true))
    _ = try app.authorize(.edit)
  }

  @Test func `R153 a grant that never deletes still edits`() throws {
    let world = try World()
    let app = try world.app(.allow)
    try set(world, app, .init(deletions: .never))
    _ = try app.authorize(.edit)
    #expect(code { try app.authorize(.delete) } == .photos(.accessUserDenied))
    #expect(!(try app.describeAccess(.readWrite).verbs.contains(.delete)))
    #expect(code { try set(world, app, .init(deletions: .allow), by: world.root) } == .notPermitted)
    try set(world, app, .init(deletions: .allow))
    _ = try app.authorize(.delete)
  }

  @Test func `R131 terms are undone alone`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    try set(world, app, .init(changes: false))
    let decision = UInt64(world.store.log.count - 1)
    _ = try world.edit(app, add: [3])
    _ = try done { world.anna.decisions.undo(decision, completion: $0) }
    #expect(try world.fetch(app) == [1, 2, 3])
    _ = try app.authorize(.edit)
  }

  @Test func `R130 an administrator may withhold, and gives nothing back`() throws {
    let world = try World()
    let app = try world.app(.allow)
    try set(world, app, .init(location: false), by: world.root)
    #expect(try app.authorize(.read).withheld == .location)
    #expect(code { try set(world, app, .init(location: true), by: world.root) } == .notPermitted)
  }

  @Test func `R149 full access that becomes limited loses places, whatever was chosen before`() throws {
    let world = try World()
    let app = try world.app()
    app.requestAuthorization(level: .readWrite) { _ in }
    try world.answer(.allow, terms: .init(location: true, captions: true, changes: true))
    _ = try world.set(app, .limited)
    #expect(try app.authorize(.read).withheld == .location)
  }

  @Test func `R4 access that comes back keeps its restrictions, and forgetting ends them`() throws {
    let world = try World()
    let app = try world.app(.select, selecting: [1, 2])
    try set(world, app, .init(location: true, captions: false, files: true, changes: false))
    _ = try world.set(app, .denied)
    _ = try world.set(app, .limited)
    let record = try #require(world.anna.grants.list().first).record
    #expect(record.termsInForce == GrantTerms(location: false, captions: false, files: true, changes: false))
    _ = try world.set(app, .notDetermined)
    _ = try world.set(app, .authorized)
    _ = try done { app.requestAuthorization(level: .readWrite, completion: $0) }
    #expect(try app.authorize(.edit).withheld == [])
  }

  @Test func `R149 an add-only grant has no terms`() throws {
    let world = try World()
    let app = try world.app(.allow, .addOnly)
    var settings = GrantSettings()
    settings.terms.changes = false
    #expect(
      code {
        try done {
          world.anna.grants.set(
            library: world.photos, app: app.app!.identifier, level: .addOnly, settings, completion: $0)
        }
      } == .refused)
  }
}
