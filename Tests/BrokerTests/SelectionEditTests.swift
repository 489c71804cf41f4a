import Broker
import Catalogue
import Macaroons
import PhotoModel
import TestSupport
import Testing

/// Overlapping edits of a selection, with failing commits.
struct SelectionEditTests {
  @Test(arguments: 0..<6)
  func `R51 removals apply at once and additions once stored, in any order of commits`(
    _ seed: Int
  ) throws {
    var random = SeededGenerator(UInt64(seed))
    let world = try World()
    let session = try world.app(.select, selecting: [0, 1, 2])
    let grant = try session.authorize(.read).grant
    world.store.isDeferred = true
    var kept: Set<Int> = [0, 1, 2]
    var forbidden: [Set<Int>] = []
    var pending: [(adding: Set<Int>, removing: Set<Int>)] = []
    // An edit without effect does not wait for a commit.
    func settleIdle() {
      while let (adding, removing) = pending.first, adding.subtracting(removing).isSubset(of: kept),
        kept.isDisjoint(with: removing)
      {
        pending.removeFirst()
        forbidden.removeFirst()
      }
    }

    for _ in 0..<60 {
      if Bool.random(using: &random) {
        let adding = Set((0..<3).map { _ in Int.random(in: 0..<10, using: &random) })
        let removing = Set((0..<2).map { _ in Int.random(in: 0..<10, using: &random) })
        world.anna.selections.edit(
          library: world.photos, app: session.app!.identifier, adding: world.selection(Array(adding)),
          removing: world.selection(Array(removing))
        ) { _ in }
        pending.append((adding, removing))
        forbidden.append(removing)
        if pending.count == 1 { settleIdle() }
      } else if world.store.pending > 0 {
        world.store.complete()
        let (adding, removing) = pending.removeFirst()
        forbidden.removeFirst()
        kept = kept.union(adding.subtracting(removing)).subtracting(removing)
        settleIdle()
      }
      let sees = Set(try world.fetch(session))
      #expect(sees.isDisjoint(with: forbidden.reduce([]) { $0.union($1) }), "taken away, and not yet kept")
      #expect(sees.isSubset(of: kept), "only what is kept")
      #expect(sees == kept.subtracting(forbidden.reduce([]) { $0.union($1) }))
    }
    world.store.completeAll()
    for (adding, removing) in pending { kept = kept.union(adding.subtracting(removing)).subtracting(removing) }
    #expect(Set(try world.fetch(session)) == kept)
    let key = grant.record.key
    try world.restart()
    let after = try #require(world.broker.grant(key))
    #expect(Set(world.library.catalogue.numbers(in: after.selection).map { Int($0.rawValue) }) == kept)
  }

  @Test(arguments: 0..<6)
  func `R133 failed commits show no removed and no unstored asset, and the next edit stores all`(
    _ seed: Int
  ) throws {
    var random = SeededGenerator(UInt64(1_000 + seed))
    let world = try World()
    let session = try world.app(.select, selecting: [0, 1, 2])
    let key = world.key(session)
    var seen = Set([0, 1, 2])
    for round in 0..<40 {
      let adding = Set((0..<3).map { _ in Int.random(in: 0..<10, using: &random) })
      let removing = Set((0..<2).map { _ in Int.random(in: 0..<10, using: &random) })
      let fails = round < 39 && Int.random(in: 0..<3, using: &random) == 0
      world.store.refusals = fails ? 1 : 0
      let commits = world.store.commits
      let failed = code { try world.edit(session, add: Array(adding), remove: Array(removing)) } != nil
      #expect(failed == (fails && world.store.commits > commits), "what changes nothing needs no disk")
      if world.store.commits == commits {
        #expect(adding.subtracting(removing).isSubset(of: seen) && seen.isDisjoint(with: removing))
      }
      seen.subtract(removing)
      if !fails { seen.formUnion(adding.subtracting(removing)) }
      #expect(Set(try world.fetch(session)) == seen)
    }
    try world.restart()
    let grant = try #require(world.broker.grant(key))
    #expect(Set(world.library.catalogue.numbers(in: grant.selection).map { Int($0.rawValue) }) == seen)
  }

  @Test func `R131 an edit without a change is no decision and notifies nobody`() throws {
    let world = try World()
    let session = try world.app(.select, selecting: [0, 1, 2])
    let grant = try session.authorize(.read).grant
    let epoch = grant.record.epoch
    let never = try world.insert("never.jpg", flags: .neverShare)
    let before = (world.store.commits, world.library.changes.presentSequence)
    for (add, remove) in [([1, 2], []), ([], [7, 8]), ([5], [5]), ([never], []), ([], [])] as [([Int], [Int])] {
      let outcome = try world.edit(session, add: add, remove: remove)
      #expect(
        outcome.added.isEmpty && outcome.removed.isEmpty && outcome.selected == 3 && outcome.receipt.decisions.isEmpty)
    }
    #expect(
      world.store.commits == before.0 && world.library.changes.presentSequence == before.1
        && grant.record.epoch == epoch)
    #expect(try world.edit(session, add: [1, 5]).receipt.decisions.count == 1 && world.store.commits == before.0 + 1)
    #expect(try world.edit(session, remove: [5, 6]).receipt.decisions.count == 1 && grant.record.epoch != epoch)
  }

  @Test func `R13 R45 never-share, trashed and foreign photos join no selection`() throws {
    let world = try World()
    let session = try world.app(.select, selecting: [1])
    let shared = try world.insert("shared.jpg", flags: .cloudShared)
    let never = try world.insert("never.jpg", flags: .neverShare)
    let trashed = try world.insert("trashed.jpg", flags: .trashed)
    let outcome = try world.edit(session, add: [2, shared, never, trashed])
    #expect(outcome.added == [AssetNumber(2)] && outcome.selected == 2)
    #expect(try world.fetch(session) == [1, 2])
    try world.mark([never], neverShare: false)
    #expect(try world.fetch(session) == [1, 2])
  }
}
