import Glibc
import Monitor
import PluginHost
import PluginKit
import Supervisor
import UnixSocket

/// Checks of every plugin's robustness: odd requests, closed connections, a kill at any moment.
struct FaultChecks {
  private let run: CheckRun
  private let kind: PluginProtocol

  init(_ run: CheckRun) {
    self.run = run
    kind = run.plugin.kind
  }

  func all() {
    guard run.check("many-calls", manyCalls) else { return }
    run.check("start-twice", startTwice)
    run.check("unknown-method") {
      try answersWithError(#"{"method":"io.photobroker.Plugin.NoSuchMethod","parameters":{}}"#)
    }
    for (number, text) in garbage.enumerated() {
      run.check("wrong-parameters-\(number + 1)") { try answersWithError(text) }
    }
    for (name, bytes) in Self.nonsense { run.check(name) { try survivesOrEnds(bytes) } }
    run.check("request-in-pieces", requestInPieces)
    run.check("killed-in-a-call", killedInACall)
    run.check("connection-cut", connectionCut)
    run.check("connection-cut-in-a-request", connectionCutInARequest)
  }

  /// The method for requests with wrong parameters.
  private var method: String {
    switch kind {
    case .storage: "Enumerate"
    case .albumPolicy: "DecideAlbums"
    case .cloudMapping: "NameItems"
    }
  }

  private var simple: String {
    switch kind {
    case .storage: #"{"method":"io.photobroker.Plugin.Facts","parameters":{}}"#
    case .albumPolicy: #"{"method":"io.photobroker.Plugin.DecideAlbums","parameters":{"isLimited":true,"albums":[]}}"#
    case .cloudMapping:
      #"{"method":"io.photobroker.Plugin.NameItems","parameters":{"application":"org.example.App","items":[]}}"#
    }
  }

  /// Requests with parameters of wrong types, or without parameters.
  private var garbage: [String] {
    let parameters =
      switch kind {
      case .storage: [#"{"page":{"number":7}}"#, #"{"page":["x"]}"#]
      case .albumPolicy:
        ["{}", #"{"isLimited":true,"albums":"all"}"#, #"{"isLimited":true,"albums":[{"identifier":7}]}"#]
      case .cloudMapping:
        ["{}", #"{"application":"a","items":[{}]}"#, #"{"application":"a","items":[{"digest":"00"}]}"#]
      }
    return parameters.map { #"{"method":"io.photobroker.Plugin.\#(method)","parameters":\#($0)}"# }
  }

  /// Messages that are no requests. An error is a good answer, and so is an end.
  private static let nonsense: [(name: String, bytes: [UInt8])] = [
    ("not-json", Array("GET / HTTP/1.1\r\n\r\n".utf8)), ("not-unicode", [0x22, 0xff, 0xfe, 0x22]),
    ("empty-message", []),
    ("deep-message", [UInt8](repeating: UInt8(ascii: "["), count: 100_000)),
  ]

  // MARK: Many requests

  private func manyCalls() throws {
    let process = try run.fresh()
    for _ in 0..<50 { try run.probe(process) }
    let before = process.descriptorCount
    try run.measure("calls") {
      var count = 0
      let end = MonotonicTime.after(.seconds(1))
      while !end.hasPassed, count < 5_000 {
        try run.probe(process)
        count += 1
      }
      return count
    }
    try process.expectDescriptors(since: before, after: "some calls", "Close the descriptors of each call.")
  }

  private func startTwice() throws {
    let process = try run.fresh()
    // The broker never does so; an error is as good as a second start.
    do { try process.start() } catch is PluginFailure {}
    try run.probe(process)
  }

  // MARK: Odd requests

  private func answersWithError(_ text: String) throws {
    let process = try run.fresh()
    try process.send(raw: Array(text.utf8) + [0])
    guard let isError = try process.answersWithError(within: .seconds(10)) else {
      throw Complaint("It exited. Answer with an error, and keep running. It said: \(process.lastWords)")
    }
    try expect(isError, "It accepted an invalid request. Answer with an error: \(text)")
    try run.probe(process)
  }

  private func survivesOrEnds(_ bytes: [UInt8]) throws {
    let process = try run.fresh()
    try process.send(raw: bytes + [0])
    guard let isError = try process.answersWithError(within: .seconds(10)) else {
      try expect(
        process.child.waitForExit(until: .after(.seconds(5))) != nil,
        "It closed its socket and kept running. End the process.")
      return
    }
    try expect(isError, "It accepted an invalid message. Answer with an error, or end the process.")
  }

  private func requestInPieces() throws {
    let process = try run.fresh()
    let bytes = Array(simple.utf8) + [0]
    for start in stride(from: 0, to: bytes.count, by: 16) {
      try process.send(raw: Array(bytes[start..<min(start + 16, bytes.count)]))
      usleep(2_000)
    }
    try expect(
      process.answersWithError(within: .seconds(10)) == false,
      "A request that came in pieces was not answered. Read until the NUL that ends a message.")
    try run.probe(process)
  }

  // MARK: Ends

  private func killedInACall() throws {
    for microseconds in [UInt32(0), 300, 1_000, 5_000] {
      let process = try run.fresh()
      try process.send(raw: Array(simple.utf8) + [0])
      usleep(microseconds)
      process.end()
      let next = try run.fresh()
      defer { next.end() }
      do { try run.probe(next) } catch let complaint as Complaint {
        throw Complaint(
          "After a process was killed during a call, the next one fails: \(complaint.message) Leave nothing half done."
        )
      }
    }
  }

  private func connectionCut() throws { try endsAfter([]) }
  private func connectionCutInARequest() throws { try endsAfter(Array(simple.utf8.prefix(20))) }

  /// The broker is gone, so a process that stays would never end.
  private func endsAfter(_ bytes: [UInt8]) throws {
    let process = try run.fresh()
    try process.send(raw: bytes)
    process.child.connection.shutdown()
    try expect(
      process.child.waitForExit(until: .after(.seconds(5))) != nil,
      "It still runs 5 seconds after its socket was closed. End the process at the end of the socket.")
  }
}
