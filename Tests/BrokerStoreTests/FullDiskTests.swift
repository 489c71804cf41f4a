import Broker
import BrokerStore
import CFaultLayer
import PhotoModel
import StoreScript
import Testing

@Suite struct FullDiskTests {
  @Test func `R133 on a full disk revocations work, grants do not, and both do once there is room`()
    async throws
  {
    let folder = try TestFolder()
    let fault = try #require(cfault_register("full disk"))
    let (store, _) = try SQLiteStore.open(folder) {
      $0.fileSystem = "full disk"
      $0.reserveBytes = 2 << 20
      $0.ledgerDelayMilliseconds = 10
      // No extended log: it is written past SQLite and its simulated disk, where there is room. A
      // log longer than the simulated disk would leave no space, and whether it is extended in time
      // depends on the machine's speed.
      $0.logBytes = 0
    }
    var done: [[StoreChange]] = []
    func commit(_ changes: [StoreChange]) async -> StoreFailure? {
      let failure = await store.commit(changes)
      if failure == nil { done.append(changes) }
      return failure
    }
    let key = Samples.key(1, 1)
    #expect(
      await commit([
        .putLibrary(Samples.library(1)), .putApp(Samples.appRecord(1)), .putGrant(Samples.grant(key, epoch: 0)),
      ]) == nil)
    #expect(store.record(Samples.entry(1), in: Samples.name(1)))
    #expect(await store.delivered(Samples.name(1), Samples.app(1)).assets == 1)
    cfault_limit(fault, cfault_used(fault, folder.file("reserve")) + 200_000, folder.file("reserve"))

    var failure: StoreFailure?
    var number: UInt32 = 0
    while failure == nil, number < 10_000 {
      failure = await commit((0..<50).map { .putAsset(Samples.name(1), Samples.asset(number + $0)) })
      number += 50
    }
    #expect(failure?.code == .full)

    // The ledger fills the rest of the disk; then no more entries are accepted.
    var isTaken = true
    var tries: UInt64 = 0
    while isTaken, tries < 200 {
      for entry in 0..<2_000 {
        isTaken = store.record(Samples.entry(tries * 2_000 + UInt64(entry)), in: Samples.name(1)) && isTaken
      }
      tries += 1
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(!isTaken)

    // Revocations still succeed, repeatedly, each with a change of a selection.
    for epoch in 1...20 {
      let changes: [StoreChange] = [
        .putGrant(Samples.grant(key, epoch: UInt64(epoch), status: .denied)),
        .putSelection(key, chunks: [(UInt32(epoch), [UInt8](repeating: UInt8(epoch), count: 8_000))]),
        .decide(Samples.decision(key, UInt64(epoch))), .putSetting(name: SettingName.epochFloor, value: "\(epoch)"),
      ]
      #expect(await commit(changes) == nil, "epoch \(epoch)")
      let widening: [StoreChange] = [.putSelection(key, chunks: [(99, [UInt8](repeating: 9, count: 8_000))])]
      #expect(
        await commit(widening + widening + (0..<99).map { .putAsset(Samples.name(1), Samples.asset(number + $0)) })?
          .code == .full)
    }

    // Commits that apps cause never use the reserve, even if they take something away.
    let mark = StoreChange.putSetting(name: SettingName.epochFloor, value: "1000")
    let large = StoreChange.appendChanges(
      Samples.name(1), (1...20_000).map { ChangeRecord(sequence: $0, kind: .album) })
    let byApp = DecisionRecord(
      time: Samples.time(1), by: Decider(uid: 9, role: .app, origin: "o"), action: "album", library: Samples.name(1),
      before: "a", after: String(repeating: "b", count: 400_000))
    var pendingImport = Samples.appRecord(8)
    pendingImport.manifest.displayName = String(repeating: "n", count: 400_000)
    #expect(await commit([.removeApp(Samples.app(7)), .putApp(pendingImport)])?.code == .full)
    #expect(await commit([large, mark])?.code == .full)
    let small = StoreChange.appendChanges(Samples.name(1), [ChangeRecord(sequence: 1, kind: .album)])
    #expect(await commit([small, .decide(byApp), mark])?.code == .full)

    cfault_limit(fault, 0, nil)
    #expect(await commit([.putAsset(Samples.name(1), Samples.asset(77_777))]) == nil)
    #expect(store.record(Samples.entry(5), in: Samples.name(1)))
    #expect(try await store.verifyLedger(of: Samples.name(1)) != .damaged(entry: 1))
    store.close()
    let (again, contents) = try SQLiteStore.open(folder)
    #expect(try await again.lines(contents) == StateText.lines(ModelStore(after: done)))
    again.close()
  }
}
