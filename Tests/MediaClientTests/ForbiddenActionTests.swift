import Foundation
import Testing

@Suite(.enabled(if: MediaWorker.isBuilt, MediaWorker.noWorker))
struct ForbiddenActionTests {
  private func run(_ arguments: [String]) throws -> (output: String, process: Process) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: MediaWorker.path)
    process.arguments = arguments
    process.environment = [:]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (String(decoding: output, as: UTF8.self), process)
  }

  @Test func `every forbidden action fails inside the worker`() throws {
    let names = try run(["--list-attempts"]).output.split(separator: "\n").map(String.init)
    #expect(names.count >= 60)
    let reasons = ["clone3": "Function not implemented", "exhaust-memory": "Cannot allocate memory"]
    var ended = 0
    for name in names {
      let (output, process) = try run(["--attempt", name])
      if process.terminationReason == .uncaughtSignal {
        #expect(process.terminationStatus == SIGSYS, "\(name)")
        ended += 1
      } else {
        // Another reason would be the action's own failure, which proves nothing.
        let reason = reasons[name] ?? "Operation not permitted"
        #expect(process.terminationStatus == 0 && output == "\(name): refused: \(reason)\n", "\(name): \(output)")
      }
    }
    #expect(ended >= 30, "sockets, exec and their like end the process")
  }

  @Test func `an unknown attempt and a manual start are refused`() throws {
    #expect(try run(["--attempt", "nonsense"]).process.terminationStatus == 2)
    #expect(try run(["photo.jpg"]).process.terminationStatus == 64)
  }
}
