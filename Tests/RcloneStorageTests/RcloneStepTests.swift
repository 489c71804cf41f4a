import Testing

@testable import RcloneStorage

/// Every user of the machine can read rclone's command line.
struct RcloneStepTests {
  private static let steps: [(String, RcloneStep)] = [
    ("a folder", RcloneStep(["lsf"], in: "cloud:Secret/Trip")),
    ("a file", RcloneStep(["lsjson"], of: ["Trip/secret.jpg"], in: "cloud:Secret")),
    ("bytes", RcloneStep(reading: "Trip/secret.jpg", in: "cloud:Secret", from: 4_711_471_147, count: 8_158_158_158)),
    ("a move", RcloneStep(moving: ["secret.jpg", "secret.mov"], from: "cloud:Secret", to: "cloud:Trip")),
  ]

  @Test(arguments: steps.map(\.0))
  func `no command line names a folder or a file`(of kind: String) throws {
    let step = try #require(Self.steps.first { $0.0 == kind }).1
    for word in step.words {
      for name in ["ecret", "Trip", "cloud", "4711471147", "8158158158"] { #expect(!word.contains(name)) }
    }
    #expect(
      step.variables.contains { $0.hasSuffix("_REMOTE=cloud:Secret") || $0.hasSuffix("_REMOTE=cloud:Secret/Trip") })
  }

  @Test func `names are passed by standard input, one per line`() {
    #expect(Self.steps[0].1.names == nil)
    #expect(Self.steps[3].1.names == "secret.jpg\nsecret.mov\n")
  }

  @Test func `read bytes are stored where only their user looks`() {
    let part = RcloneStep(reading: "secret.jpg", in: "cloud:", from: 4_711, count: 815)
    #expect(part.names == "secret.jpg\n" && part.variables.suffix(2) == ["RCLONE_OFFSET=4711", "RCLONE_COUNT=815"])
    let rest = RcloneStep(reading: "secret.jpg", in: "cloud:", from: 4_711)
    #expect(rest.variables.last == "RCLONE_OFFSET=4711")
  }

  @Test func `a step without a folder needs no remote`() {
    let step = RcloneStep(["config", "dump"])
    #expect(step.words == ["config", "dump"] && step.variables.isEmpty && step.names == nil)
  }
}
