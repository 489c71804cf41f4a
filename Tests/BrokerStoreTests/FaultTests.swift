import Broker
import BrokerStore
import CSQLite
import StoreScript
import Testing

/// The disk fails or is full at any call that changes a file, once or for ever; the daemon lives on.
@Suite struct FaultTests {
  static let commits = 24

  @Test(arguments: ["input error once", "input error for ever", "full once", "full for ever"])
  func `R17 a commit that failed left nothing and one that succeeded is there, whichever call fails`(
    _ way: String
  ) async throws {
    let kind: csqlite_fault_kind =
      switch way {
      case "input error once": csqlite_fault_input_once
      case "input error for ever": csqlite_fault_input_forever
      case "full once": csqlite_fault_full_once
      default: csqlite_fault_full_forever
      }
    let fault = try #require(csqlite_fault_register("fault of \(way)"))
    let calls = try await run(fault, "fault of \(way)", csqlite_fault_none, 0)
    try #require(calls > 100)
    for call in stride(from: Int64(1), through: calls, by: max(1, Int(calls) / 40 | 1)) {
      _ = try await run(fault, "fault of \(way)", kind, call)
    }
  }

  /// Runs the script with one fault, then compares what is stored with what was acknowledged.
  /// - Returns: how many calls there were.
  private func run(
    _ fault: OpaquePointer, _ fileSystem: String, _ kind: csqlite_fault_kind, _ call: Int64
  ) async throws -> Int64 {
    let folder = try TestFolder()
    let (store, _) = try SQLiteStore.open(folder) {
      $0.fileSystem = fileSystem
      $0.checkpointFrames = 24
    }
    csqlite_fault_arm(fault, kind, call)
    let script = Script.commits(Self.commits)
    let outcomes = Recorder()
    for (number, changes) in script.enumerated() {
      // Every third one is waited for, so that there are groups of several.
      if number % 3 == 0 {
        outcomes.note(number, await store.commit(changes))
      } else {
        store.commit(changes) { outcomes.note(number, $0) }
      }
      if number % 5 == 3 { await keepCatalogue(store, script, outcomes) }
    }
    _ = await store.commit([])
    let calls = csqlite_fault_count(fault)
    csqlite_fault_arm(fault, csqlite_fault_none, 0)
    #expect(outcomes.numbers.sorted() == Array(0..<Self.commits))
    if kind == csqlite_fault_none { #expect(outcomes.failed.isEmpty) }
    #expect(outcomes.codes.allSatisfy { [nil, .full, .input, .refused].contains($0) })

    // The disk works again, and so does the store, without a restart.
    #expect(await store.commit([.putSetting(name: "after", value: "all")]) == nil, "call \(call)")
    let model = ModelStore(after: outcomes.succeeded.sorted().map { script[$0] } + [[.putSetting(name: "after", value: "all")]])
    store.close()
    let (again, contents) = try SQLiteStore.open(folder)
    let found = try await again.lines(contents)
    #expect(found == StateText.lines(model), "call \(call)")
    again.close()
    return calls
  }

  /// Keeps the catalogue as it is after all that succeeded so far.
  private func keepCatalogue(_ store: SQLiteStore, _ script: [[StoreChange]], _ outcomes: Recorder) async {
    _ = await store.commit([])
    let model = ModelStore(after: outcomes.succeeded.sorted().map { script[$0] })
    guard let kept = store.write(model.catalogue(of: Samples.name(1))) else { return }
    if await store.commit([.keepCatalogue(Samples.name(1), kept)]) != nil { store.discard(kept) }
  }
}
