import Foundation

/// PyPI's pymacaroons in a process of its own.
enum Pymacaroons {
  struct Request: Encodable {
    var operation: String
    var token: String?
    var key: String?
    var location: String?
    var identifier: String?
    var caveats: [String]?
    var thirdParty: Bool?
  }

  struct Answer: Decodable {
    var token: String?
    var caveats: [String]?
    var error: String?
  }

  static let howToInstall: String =
    "pymacaroons is not installed: python3 -m venv .venv && .venv/bin/pip install pymacaroons, or name another venv in PHOTOBROKER_VENV"

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  private static let python: URL = {
    let root = folder.deletingLastPathComponent().deletingLastPathComponent()
    let venv =
      ProcessInfo.processInfo.environment["PHOTOBROKER_VENV"].map { URL(fileURLWithPath: $0) }
      ?? root.appendingPathComponent(".venv")
    return venv.appendingPathComponent("bin/python3")
  }()

  static let isInstalled: Bool = {
    guard FileManager.default.isExecutableFile(atPath: python.path) else { return false }
    return (try? run(["-c", "import pymacaroons"], Data()).status) == 0
  }()

  static func ask(_ requests: [Request]) throws -> [Answer] {
    let script = folder.appendingPathComponent("Interoperability/pymacaroons_peer.py").path
    let result = try run([script], try JSONEncoder().encode(requests))
    return try JSONDecoder().decode([Answer].self, from: result.output)
  }

  private static func run(_ arguments: [String], _ input: Data) throws -> (status: Int32, output: Data) {
    // Files, because pipes could block both sides.
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try input.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    let output = Pipe()
    process.executableURL = python
    process.arguments = arguments
    process.standardInput = try FileHandle(forReadingFrom: file)
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, data)
  }
}
