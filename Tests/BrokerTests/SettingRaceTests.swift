import Broker
import PhotoModel
import TestSupport
import Testing

/// Concurrent settings of one library, with failing commits.
struct SettingRaceTests {
  @Test func `R127 a user whose offer the disk refused is in no later setting, on disk or in memory`() throws {
    let world = try World()
    world.store.isDeferred = true
    let told = Box<[Bool]>()
    told.value = []
    world.anna.rights.offer(world.photos, to: nil, adding: [3000]) { told.value?.append((try? $0.get()) != nil) }
    world.anna.rights.shareOriginals(world.photos, true) { told.value?.append((try? $0.get()) != nil) }
    world.anna.rights.delegate(world.photos, Delegation(coOwners: [World.bert])) {
      told.value?.append((try? $0.get()) != nil)
    }
    world.store.refusals = 1
    world.store.completeAll()
    #expect(told.value == [false, true, true])
    let record = world.library.record
    #expect(!record.offeredTo.contains(3000) && record.sharesOriginals && record.coOwners == [World.bert])
    #expect(world.kept.record == record)
  }

  @Test
  func `R133 a later setting's removals apply at once, and an earlier one's grants do not undo them`()
    throws
  {
    let world = try World()
    world.store.isDeferred = true
    world.anna.rights.offer(world.photos, to: nil, adding: [3000]) { _ in }
    world.anna.rights.offer(world.photos, to: nil, removing: [World.appUser]) { _ in }
    #expect(world.library.record.offeredTo == [World.anna])
    world.store.complete()
    #expect(world.library.record.offeredTo == [World.anna, 3000])
    world.store.refusals = 1
    world.store.completeAll()
    #expect(world.library.record.offeredTo == [World.anna, 3000], "taken away, though not kept")
    world.anna.rights.shareOriginals(world.photos, true) { _ in }
    world.store.completeAll()
    #expect(world.kept.record.offeredTo == [World.anna, 3000], "and written with the next one")
  }

  @Test func `R127 R131 an undo gives nothing that the disk refused meanwhile`() throws {
    let world = try World()
    func last() throws -> UInt64 {
      try #require(
        try done { world.anna.decisions.list(library: nil, DecisionQuery(limit: 1), completion: $0) }.entries.first
      ).number
    }
    _ = try done { world.anna.rights.offer(world.photos, to: nil, adding: [3001], completion: $0) }
    let offered = try last()
    _ = try done { world.anna.rights.delegate(world.photos, Delegation(coOwners: [World.bert]), completion: $0) }
    let delegated = try last()
    let before = world.library.record
    world.store.isDeferred = true
    world.anna.rights.offer(world.photos, to: nil, adding: [3000]) { _ in }
    world.anna.decisions.undo(offered) { _ in }
    world.store.refusals = 1
    world.store.completeAll()
    #expect(world.library.record.offeredTo == before.offeredTo.subtracting([3001]))
    world.anna.rights.delegate(world.photos, Delegation(coOwners: [World.bert, 3000])) { _ in }
    world.anna.decisions.undo(delegated) { _ in }
    world.store.refusals = 1
    world.store.completeAll()
    #expect(world.library.record.coOwners.isEmpty)
    world.anna.rights.offer(world.photos, to: nil) { _ in }
    world.store.completeAll()
    #expect(world.kept.record == world.library.record)
  }

  @Test func `R126 a leaving co-owner adds no user whom the disk refused`() throws {
    let world = try World()
    _ = try done { world.anna.rights.delegate(world.photos, Delegation(coOwners: [World.bert, 3001]), completion: $0) }
    try world.accept(world.photos, by: World.bert)
    world.store.isDeferred = true
    world.anna.rights.delegate(world.photos, Delegation(coOwners: [World.bert, 3000, 3001])) { _ in }
    let told = Box<Bool>()
    world.bert.rights.delegate(world.photos, Delegation(coOwners: [3000, 3001])) { told.value = (try? $0.get()) != nil }
    world.store.refusals = 1
    world.store.completeAll()
    #expect(told.value == true && world.library.record.coOwners == [3001])
    #expect(world.kept.record == world.library.record)
  }

  @Test func `R128 a library removed while its settings wait does not return with them`() throws {
    let world = try World()
    world.store.isDeferred = true
    let told = Box<[BrokerError.Code?]>()
    told.value = []
    func note<Value>(_ result: Result<Value, BrokerError>) {
      if case .failure(let error) = result { told.value?.append(error.code) } else { told.value?.append(nil) }
    }
    world.anna.rights.offer(world.photos, to: nil, adding: [3000]) { note($0) }
    world.anna.rights.shareOriginals(world.photos, true) { note($0) }
    world.anna.libraries.remove(world.photos) { note($0) }
    world.store.completeAll()
    #expect(told.value?.contains(.notFound(what: "library")) == true && told.value?.count == 3)
    try world.restart()
    #expect(world.broker.libraries[world.photos] == nil)
  }

  @Test(arguments: 0..<24)
  func `R133 memory and disk agree on a library's settings under refusals in any order`(_ seed: Int) throws {
    var random = SeededGenerator(UInt64(seed))
    let world = try World()
    world.store.isDeferred = true
    // No restriction with a failed commit is left to write.
    var isOwed = false
    func note<Value>(_ result: Result<Value, BrokerError>) {
      if case .success = result { isOwed = false } else { isOwed = true }
    }
    for _ in 0..<60 {
      let users = Set((0..<3).map { _ in UInt32.random(in: 3000..<3006, using: &random) })
      switch Int.random(in: 0..<9, using: &random) {
      case 0: world.anna.rights.offer(world.photos, to: nil, adding: users) { note($0) }
      case 1: world.anna.rights.offer(world.photos, to: nil, removing: users) { note($0) }
      case 2: world.anna.rights.shareOriginals(world.photos, Bool.random(using: &random)) { note($0) }
      case 3:
        world.anna.rights.delegate(
          world.photos, Delegation(coOwners: users, administratorsSee: Bool.random(using: &random))
        ) {
          note($0)
        }
      case 4: world.anna.libraries.setUp(world.photos, LibrarySetup(options: ["path": "/\(users.count)"])) { note($0) }
      case 5:
        if let user = users.first {
          world.admin(user).offers.answer(world.photos, .all(Bool.random(using: &random) ? .accepted : .declined)) {
            _ in
          }
        }
      case 6: world.anna.rights.allowDeletions(world.photos, Bool.random(using: &random)) { note($0) }
      case 7:
        world.store.refusals = Int.random(in: 0..<2, using: &random)
        world.store.complete()
      default: world.store.complete()
      }
      guard world.store.pending == 0 else { continue }
      if !isOwed { #expect(world.kept.record == world.library.record) }
    }
    world.store.refusals = 0
    world.store.completeAll()
    world.anna.rights.delegate(world.photos, Delegation()) { note($0) }
    world.store.completeAll()
    let record = world.library.record
    #expect(!isOwed && world.kept.record == record)
    try world.restart()
    #expect(world.library.record == record)
  }
}
