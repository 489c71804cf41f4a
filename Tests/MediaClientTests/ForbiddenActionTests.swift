import Foundation
import Testing

@Suite(.enabled(if: MediaWorker.isBuilt, MediaWorker.noWorker))
struct ForbiddenActionTests {
  private func run(
    _ program: String, _ arguments: [String], _ environment: [String: String] = [:]
  ) throws -> (output: String, process: Process) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "\(MediaWorker.folder)/\(program)")
    process.arguments = arguments
    process.environment = environment
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (String(decoding: output, as: UTF8.self), process)
  }

  @Test(arguments: MediaWorker.programs)
  func `every forbidden action fails inside the worker`(program: String) throws {
    let names = try run(program, ["--list-attempts"]).output.split(separator: "\n").map(String.init)
    #expect(names.count >= 60)
    let reasons = ["clone3": "Function not implemented", "exhaust-memory": "Cannot allocate memory"]
    var ended = 0
    for name in names {
      let (output, process) = try run(program, ["--attempt", name])
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

  @Test(arguments: MediaWorker.programs)
  func `an unknown attempt and a manual start are refused`(program: String) throws {
    #expect(try run(program, ["--attempt", "nonsense"]).process.terminationStatus == 2)
    #expect(try run(program, ["photo.jpg"]).process.terminationStatus == 64)
  }

  @Test func `the worker for pictures loads no library for videos`() throws {
    // The dynamic linker then prints the libraries instead of starting the program.
    let listing = ["LD_TRACE_LOADED_OBJECTS": "1"]
    let pictures = try run("photobroker-media", [], listing).output
    let videos = try run("photobroker-video", [], listing).output
    for library in ["libavformat", "libavcodec", "libavutil", "libswscale", "libswresample"] {
      #expect(!pictures.contains(library) && videos.contains(library), "\(library)")
    }
    #expect(pictures.contains("libvips") && videos.contains("libvips"))
  }
}
