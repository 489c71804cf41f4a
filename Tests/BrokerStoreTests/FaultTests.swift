import Broker
import BrokerStore
import CFaultLayer
import StoreScript
import Testing

/// The disk fails or is full at any call that changes a file, once or for ever. The daemon
/// survives.
@Suite struct FaultTests {
  static let commits = 24

  @Test(arguments: ["input error once", "input error for ever", "full once", "full for ever"])
  func `R17 a failed commit leaves nothing and a successful one stays, whichever call fails`(
    _ way: String
  ) async throws {
    let kind: cfault_kind =
      switch way {
      case "input error once": cfault_input_once
      case "input error for ever": cfault_input_forever
      case "full once": cfault_full_once
      default: cfault_full_forever
      }
    let fault = try #require(cfault_register("fault of \(way)"))
    let calls = try await run(fault, "fault of \(way)", cfault_none, 0)
    try #require(calls > 100)
    for call in stride(from: Int64(1), through: calls, by: max(1, Int(calls) / 40 | 1)) {
      _ = try await run(fault, "fault of \(way)", kind, call)
    }
  }

  /// A run leaves its write-ahead log behind, and the next start fails at any call, with the log
  /// moved in part.
  @Test(arguments: ["input error once", "input error for ever", "full once", "full for ever"])
  func `R17 a failed start loses nothing, whichever call fails`(_ way: String) async throws {
    let kind: cfault_kind =
      switch way {
      case "input error once": cfault_input_once
      case "input error for ever": cfault_input_forever
      case "full once": cfault_full_once
      default: cfault_full_forever
      }
    let fileSystem = "fault of starts with \(way)"
    let fault = try #require(cfault_register(fileSystem))
    let calls = try await start(fault, fileSystem, cfault_none, 0)
    try #require(calls > 20)
    for call in stride(from: Int64(1), through: calls, by: max(1, Int(calls) / 60)) {
      _ = try await start(fault, fileSystem, kind, call)
    }
  }

  /// Starts with one fault on a state whose commits are only in the write-ahead log, then without a
  /// fault.
  /// - Returns: the number of calls of the first start.
  private func start(
    _ fault: OpaquePointer, _ fileSystem: String, _ kind: cfault_kind, _ call: Int64
  ) async throws -> Int64 {
    let folder = try TestFolder()
    let (store, _) = try SQLiteStore.open(folder) { $0.fileSystem = fileSystem }
    let script = Script.commits(Self.commits)
    for changes in script { #expect(await store.commit(changes) == nil) }
    cfault_arm(fault, cfault_full_forever, 1)
    store.close()
    cfault_arm(fault, kind, call)
    if let (store, _) = try? SQLiteStore.open(folder, { $0.fileSystem = fileSystem }) { store.close() }
    let calls = cfault_count(fault)
    cfault_arm(fault, cfault_none, 0)
    let (again, contents) = try SQLiteStore.open(folder)
    #expect(try await again.lines(contents) == StateText.lines(ModelStore(after: script)), "call \(call)")
    again.close()
    return calls
  }

  /// The first commits of a run restart the write-ahead log under another header.
  @Test func `R17 a failed read undoes no commit`() async throws {
    let fault = try #require(cfault_register("fault of readings"))
    for commits in 1...3 {
      let folder = try TestFolder()
      // More than the connection's cache holds, so that reads go to the disk.
      let library = Samples.library(77)
      let large: [StoreChange] = (0..<8_000).map { .putAsset(library.name, Samples.asset($0)) }
      let script = [[.putLibrary(library)] + large] + Script.commits(Self.commits)
      let (before, _) = try SQLiteStore.open(folder) { $0.fileSystem = "fault of readings" }
      for changes in script.dropLast(commits) { #expect(await before.commit(changes) == nil) }
      before.close()
      let (store, _) = try SQLiteStore.open(folder) { $0.fileSystem = "fault of readings" }
      for changes in script.suffix(commits) { #expect(await store.commit(changes) == nil) }
      var failure: (any Error)?
      // The store's own reads after a start may meet the fault first.
      for _ in 0..<100 where failure == nil {
        cfault_arm(fault, cfault_read_once, 1)
        do { _ = try await store.assets(of: library.name) } catch { failure = error }
      }
      cfault_arm(fault, cfault_none, 0)
      #expect((failure as? StoreFailure)?.code == .input)
      #expect(await store.commit([.putSetting(name: "after", value: "all")]) == nil)
      let model = ModelStore(after: script + [[.putSetting(name: "after", value: "all")]])
      cfault_arm(fault, cfault_full_forever, 1)
      store.close()
      cfault_arm(fault, cfault_none, 0)
      let (again, contents) = try SQLiteStore.open(folder)
      #expect(try await again.lines(contents) == StateText.lines(model), "\(commits) commits")
      again.close()
    }
  }

  /// Runs the script with one fault, then compares the stored state with the acknowledged commits.
  /// - Returns: the number of calls.
  private func run(
    _ fault: OpaquePointer, _ fileSystem: String, _ kind: cfault_kind, _ call: Int64
  ) async throws -> Int64 {
    let folder = try TestFolder()
    let (store, _) = try SQLiteStore.open(folder) {
      $0.fileSystem = fileSystem
      $0.checkpointFrames = 24
    }
    cfault_arm(fault, kind, call)
    let script = Script.commits(Self.commits)
    let outcomes = Recorder()
    for (number, changes) in script.enumerated() {
      // Waits for every third commit only, so that groups of several form.
      if number % 3 == 0 {
        outcomes.note(number, await store.commit(changes))
      } else {
        store.commit(changes) { outcomes.note(number, $0) }
      }
      if number % 5 == 3 { await keepCatalogue(store, script, outcomes) }
    }
    _ = await store.commit([])
    let calls = cfault_count(fault)
    cfault_arm(fault, cfault_none, 0)
    #expect(outcomes.numbers.sorted() == Array(0..<Self.commits))
    if kind == cfault_none { #expect(outcomes.failed.isEmpty) }
    #expect(outcomes.codes.allSatisfy { [nil, .full, .input, .refused].contains($0) })

    // Once the disk works again, the store does too, without a restart.
    #expect(await store.commit([.putSetting(name: "after", value: "all")]) == nil, "call \(call)")
    let model = ModelStore(
      after: outcomes.succeeded.sorted().map { script[$0] } + [[.putSetting(name: "after", value: "all")]])
    store.close()
    let (again, contents) = try SQLiteStore.open(folder)
    let found = try await again.lines(contents)
    #expect(found == StateText.lines(model), "call \(call)")
    again.close()
    return calls
  }

  /// Keeps the catalogue of all commits that succeeded so far.
  private func keepCatalogue(_ store: SQLiteStore, _ script: [[StoreChange]], _ outcomes: Recorder) async {
    _ = await store.commit([])
    let model = ModelStore(after: outcomes.succeeded.sorted().map { script[$0] })
    guard let kept = store.write(model.catalogue(of: Samples.name(1))) else { return }
    if await store.commit([.keepCatalogue(Samples.name(1), kept)]) != nil { store.discard(kept) }
  }
}
