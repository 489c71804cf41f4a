import BrokerInterface
import Glibc
import Varlink

/// `plugin dev`: installs a plugin after each build of it and shows what it writes.
final class PluginDevelopment {
  private let source: PluginSource
  private let invocation: Invocation
  /// The file as it was installed last, whether that went well or not.
  private var tried: State?
  private var triedBytes: Int?
  private var isRefused = false
  /// The bytes at the last look at them, and when the next one is due.
  private var bytesBefore: Int?
  private var nextLookAtBytes = ContinuousClock.now
  private var bytesMayChangeUntil = ContinuousClock.now
  /// When the newest entry of the log was made that has been shown.
  private var shown: Int64

  /// How often the file is looked at, in microseconds. A file counts as written once two looks find it the same.
  private static let pause: UInt32 = 200_000

  /// How long a file's bytes are looked at as well after it was taken, and how often. A linker that
  /// writes through a mapping changes them, and neither size nor times: what two looks found the
  /// same may have been half of it.
  private static let settling = Duration.seconds(60)
  private static let pauseOfBytes = Duration.seconds(1)

  private struct State: Equatable {
    var numbers: [Int]

    init?(_ path: String) {
      var facts = stat()
      guard stat(path, &facts) == 0, facts.st_size > 0 else { return nil }
      numbers = [
        Int(facts.st_ino), Int(facts.st_size), facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec, facts.st_ctim.tv_sec,
        facts.st_ctim.tv_nsec,
      ]
    }
  }

  init(_ source: PluginSource, _ invocation: Invocation) {
    (self.source, self.invocation) = (source, invocation)
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    shown = Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000
  }

  /// Goes on until the person interrupts it, or the broker is gone.
  /// - Throws: `unavailable`, `notPermitted`; a version that is refused is told, and the next one is waited for.
  func run() throws(CommandError) {
    invocation.say("Watching \(source.path); interrupt with Ctrl-C.")
    var before: State?
    while true {
      let state = State(source.path)
      if let state, state == before, state != tried || hasOtherBytes() {
        tried = state
        triedBytes = Self.bytes(of: source.path)
        try load()
        bytesMayChangeUntil = .now + Self.settling
      }
      before = state
      try showLog()
      usleep(Self.pause)
    }
  }

  /// Whether the file has other bytes than those that were tried, and the same as a moment ago.
  private func hasOtherBytes() -> Bool {
    let now = ContinuousClock.now
    guard isRefused || now < bytesMayChangeUntil, now >= nextLookAtBytes else { return false }
    nextLookAtBytes = now + Self.pauseOfBytes
    let before = bytesBefore
    bytesBefore = Self.bytes(of: source.path)
    return bytesBefore != nil && bytesBefore != triedBytes && bytesBefore == before
  }

  /// A hash of a file's bytes; nil where they cannot be read.
  private static func bytes(of path: String) -> Int? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var hasher = Hasher()
    var piece = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = read(file, &piece, piece.count)
      guard count >= 0 else { return nil }
      if count == 0 { return hasher.finalize() }
      piece.withUnsafeBytes { hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
  }

  private func load() throws(CommandError) {
    isRefused = false
    do throws(CommandError) {
      let answer = try source.install(upgrade: true, development: true, invocation)
      guard !invocation.isJSON else { return emit(answer.json) }
      let reply = answer.value
      let libraries = reply.libraries.isEmpty ? "" : "; moved to it: \(reply.libraries.joined(separator: ", "))"
      let stays =
        reply.plugin.state == "disabled" ? " It stays disabled: photobroker plugin enable \(source.name)." : ""
      invocation.print(
        "\(source.name) \(reply.change), SHA-256 \(reply.plugin.digest?.prefix(12) ?? "?")\(libraries).\(stays)")
    } catch {
      guard error.code == .badData || error.code == .failed || error.code == .notFound else { throw error }
      isRefused = true
      if invocation.isJSON {
        emit(encoded(error.document))
      } else {
        invocation.warn("\(error.message) The version before it goes on.")
      }
    }
  }

  private func showLog() throws(CommandError) {
    let answer: Answer<Admin.ReadPluginLog.Reply>
    do throws(CommandError) {
      answer = try invocation.call(Admin.ReadPluginLog.self, .init(name: source.name, limit: 500))
    } catch {
      // Nothing of that name is installed yet.
      guard error.code == .notFound else { throw error }
      return
    }
    for entry in answer.value.entries where entry.time > shown {
      shown = entry.time
      if invocation.isJSON { emit(encoded(entry)) } else { invocation.print(PluginCommands.line(entry)) }
    }
  }

  private func encoded(_ value: some VarlinkEncodable) -> [UInt8] {
    var writer = JSONWriter()
    value.encode(to: &writer)
    return writer.bytes
  }

  /// One JSON document in one line.
  private func emit(_ json: [UInt8]) { invocation.console.print(String(decoding: json, as: UTF8.self)) }
}
