import Broker
import Catalogue
import Macaroons
import PhotoModel
import Testing

/// Only a library's owner decides whether apps may delete its assets.
struct DeletionTests {
  private static func allow(_ world: World, _ allows: Bool, by admin: AdminSession? = nil) throws {
    _ = try done { (admin ?? world.anna).rights.allowDeletions(world.photos, allows, completion: $0) }
  }

  private static func last(_ world: World, _ action: String? = nil) throws -> KeptDecision {
    let page = try done { world.anna.decisions.list(library: world.photos, DecisionQuery(limit: 10), completion: $0) }
    return try #require(page.entries.first { action == nil || $0.record.action == action })
  }

  @Test(arguments: [true, false])
  func `R131 refused deletions stop an app from deleting anything, its own additions too, until undone`(
    _ isLimited: Bool
  ) throws {
    let world = try World()
    let app = try isLimited ? world.app(.select, selecting: [1, 2]) : world.app(.allow)
    let permit = try app.authorize([.edit, .delete])
    let added = Int(try world.create(permit, world.photo("new.jpg")).rawValue)
    #expect(try app.describeAccess(.readWrite).verbs == .all)
    try Self.allow(world, false)
    let favourite = ChangeStep.setFavorite([try world.target(permit, 1)], true)
    // A visible asset, the app's own, an invisible one and a missing one.
    for number in [1, added, 7, 98] {
      for dryRun in [true, false] {
        let refused = #expect(throws: BrokerError.self) {
          try world.perform(permit, [favourite, .delete([try world.target(permit, number)])], dryRun: dryRun)
        }
        #expect(refused?.code == .photos(.changeNotSupported))
        #expect(refused?.message.contains("lets no app delete photos") == true)
      }
    }
    #expect(world.row(1)?.flags == [] && world.library.trash.rows().isEmpty)
    #expect(try app.describeAccess(.readWrite).verbs == Verbs.all.subtracting(.delete))
    _ = try world.perform(permit, [favourite])
    #expect(world.row(1)?.flags == .favourite, "other edits go on")
    let decision = try Self.last(world, "deletions")
    #expect((decision.record.before, decision.record.after) == ("apps delete", "apps delete nothing"))
    _ = try done { world.anna.decisions.undo(decision.number, completion: $0) }
    #expect(try app.describeAccess(.readWrite).verbs == .all)
    let outcome = try world.perform(permit, [.delete([try world.target(permit, 1), try world.target(permit, added)])])
    #expect(outcome.trashed == [AssetNumber(1), AssetNumber(UInt32(added))])
  }

  @Test func `R142 a deletion waiting while the owner refuses deletions deletes nothing`() throws {
    let world = try World()
    let permit = try world.app(.allow).authorize(.edit)
    let target = try world.target(permit, 1)
    world.store.isDeferred = true
    let result = Box<Result<ChangeOutcome, BrokerError>>()
    world.library.scan.apply([.insert(world.photo("a.jpg"))]) { _ in }
    world.library.perform([.delete([target])], grant: permit.grant, attenuation: nil, dryRun: false, refusal: { nil }) {
      result.value = $0
    }
    world.anna.rights.allowDeletions(world.photos, false) { _ in }
    #expect(!world.library.record.appsDelete, "before the disk has it")
    world.store.completeAll()
    #expect(code { try result.value!.get() } == .photos(.changeNotSupported))
    #expect(world.row(1)?.flags == [])
  }

  @Test func `R126 R131 owners decide on deletions per library, and it survives a restart`() throws {
    let world = try World()
    #expect(code { try Self.allow(world, false, by: world.bert) } == .notFound(what: "library"))
    #expect(code { try Self.allow(world, false, by: world.root) } == .notPermitted)
    _ = try done { world.anna.rights.delegate(world.photos, Delegation(coOwners: [World.bert]), completion: $0) }
    try world.accept(world.photos, by: World.bert)
    try Self.allow(world, false, by: world.bert)
    try world.restart()
    #expect(!world.library.record.appsDelete && world.broker.libraries[world.holidays]?.record.appsDelete == true)
    let refused = try Self.last(world)
    try Self.allow(world, true)
    let movedOn = #expect(throws: BrokerError.self) {
      try done { world.anna.decisions.undo(refused.number, completion: $0) }
    }
    #expect(movedOn?.code == .refused && world.library.record.appsDelete)
  }
}
