import Broker
import BrokerStore
import CFaultLayer
import Foundation
import StoreScript
import Testing

/// The daemon crashes between two calls that change a file, chosen by number. Then its state is
/// opened and compared.
@Suite struct CrashTests {
  static let commits = 30

  /// Repeats the commits, and crashes at another call each time. Each kind gets a part of the calls.
  @Test(arguments: ["exit", "torn write", "power failure", "power failure with half written"])
  func `R144 after a crash every acknowledged commit is whole, and every other whole or absent`(
    _ way: String
  ) async throws {
    let kind: cfault_kind =
      switch way {
      case "exit": cfault_exit
      case "torn write": cfault_exit_torn
      case "power failure": cfault_power
      default: cfault_power_half
      }
    let expected = (0...Self.commits).map {
      StateText.lines(ModelStore(after: Script.commits(Self.commits).prefix($0)))
    }
    let whole = try await run(TestFolder(), cfault_none, 0)
    let calls = try #require(whole.calls)
    try #require(whole.acknowledged == Self.commits && calls > 200)
    // About as many crashes of each kind, at different calls; with PHOTOBROKER_EVERY_CRASH at all
    // of them.
    let isThorough = ProcessInfo.processInfo.environment["PHOTOBROKER_EVERY_CRASH"] != nil
    let offset = isThorough ? 0 : Int(kind.rawValue) % 4
    var deaths = 0
    for call in stride(from: 1 + offset, through: calls, by: isThorough ? 1 : max(4, calls / 100 | 1)) {
      let folder = try TestFolder()
      let outcome = try await run(folder, kind, call)
      if outcome.calls == nil { deaths += 1 }
      // An older copy must not pass for the present state.
      if let epoch = Self.epoch(after: outcome.acknowledged) { #expect(try folder.floorEpoch >= epoch, "call \(call)") }
      let (store, contents) = try SQLiteStore.open(folder)
      let found = try await store.lines(contents)
      let matches = expected.indices.filter { expected[$0] == found && $0 >= outcome.acknowledged }
      let difference = Set(found).symmetricDifference(expected[outcome.acknowledged])
      #expect(!matches.isEmpty, "call \(call): \(outcome.acknowledged) acknowledged, \(difference.sorted())")
      if contents.libraries.contains(where: { $0.record.name == Samples.name(1) }) {
        let verdict = try await store.verifyLedger(of: Samples.name(1))
        #expect(isIntact(verdict), "call \(call): \(verdict)")
      }
      #expect(await store.commit([.putSetting(name: "after", value: "all")]) == nil)
      store.close()
    }
    #expect(deaths > 60)
  }

  /// The greatest acknowledged epoch.
  private static func epoch(after commits: Int) -> UInt64? {
    Script.commits(Self.commits).prefix(commits).joined().compactMap { change in
      if case .putSetting(name: SettingName.epochFloor, let value) = change { UInt64(value) } else { nil }
    }.max()
  }

  private func isIntact(_ verdict: LedgerVerdict) -> Bool {
    if case .intact = verdict { true } else { false }
  }

  /// Runs the child to its end or its crash.
  private func run(
    _ folder: TestFolder, _ kind: cfault_kind, _ call: Int
  ) async throws -> (acknowledged: Int, calls: Int?) {
    let child = Process()
    child.executableURL = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe").siblingURL(
      "store-crash-child")
    child.arguments = [folder.path, "\(kind.rawValue)", "\(call)", "\(Self.commits)"]
    let output = Pipe()
    child.standardOutput = output
    try child.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    child.waitUntilExit()
    try #require(child.terminationStatus == 0 || child.terminationStatus == 86, "\(text)")
    let lines = text.split(separator: "\n")
    // Numbers come in order; a gap would mean that a commit was overtaken.
    let numbers = lines.compactMap { Int($0) }
    try #require(numbers == Array(0..<numbers.count), "\(text)")
    return (numbers.count, lines.last.flatMap { $0.hasPrefix("calls ") ? Int($0.dropFirst(6)) : nil })
  }
}

extension String {
  fileprivate func siblingURL(_ name: String) -> URL {
    URL(fileURLWithPath: self).deletingLastPathComponent().appendingPathComponent(name)
  }
}
