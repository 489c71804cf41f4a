import BrokerInterface
import Glibc
import Varlink

/// `plugin dev`: installs a plugin after each build, and prints its log.
final class PluginDevelopment {
  private let source: PluginSource
  private let invocation: Invocation
  /// The file's state at the last installation, successful or not.
  private var tried: State?
  private var triedBytes: Int?
  private var isRefused = false
  private var bytesBefore: Int?
  private var nextLookAtBytes = ContinuousClock.now
  private var bytesMayChangeUntil = ContinuousClock.now
  /// Time of the newest log entry that was printed, in microseconds since 1970.
  private var shown: Int64

  /// Microseconds between two polls of the file. A file counts as written once two polls see the
  /// same state.
  private static let pause: UInt32 = 200_000

  /// How long after an installation the file's bytes are polled too. A linker that writes through a
  /// mapping changes bytes without size or times, so the installed file may have been half written.
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
    (self.source, self.invocation, shown) = (source, invocation, Moment.now)
  }

  /// Runs until the person interrupts it, or the broker is gone.
  /// - Throws: `unavailable`, `notPermitted`. A refused version is reported, and the next one is
  ///   awaited.
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

  /// Whether the file's bytes differ from the installed ones and did not change since the last
  /// poll.
  private func hasOtherBytes() -> Bool {
    let now = ContinuousClock.now
    guard isRefused || now < bytesMayChangeUntil, now >= nextLookAtBytes else { return false }
    nextLookAtBytes = now + Self.pauseOfBytes
    let before = bytesBefore
    bytesBefore = Self.bytes(of: source.path)
    return bytesBefore != nil && bytesBefore != triedBytes && bytesBefore == before
  }

  /// A hash of a file's bytes; nil if they cannot be read.
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
      let (moved, stays) = PluginCommands.effects(reply)
      invocation.print(
        "\(source.name) \(reply.change), SHA-256 \(reply.plugin.digest?.prefix(12) ?? "?")\(moved).\(stays)")
    } catch {
      guard error.code == .badData || error.code == .failed || error.code == .notFound else { throw error }
      isRefused = true
      if invocation.isJSON {
        emit(error.document.jsonBytes)
      } else {
        invocation.warn("\(error.message) The previous version keeps running.")
      }
    }
  }

  private func showLog() throws(CommandError) {
    let answer: Answer<Admin.ReadPluginLog.Reply>
    do throws(CommandError) {
      answer = try invocation.call(Admin.ReadPluginLog.self, .init(name: source.name, limit: 500))
    } catch {
      // No plugin of that name is installed yet.
      guard error.code == .notFound else { throw error }
      return
    }
    for entry in answer.value.entries where entry.time > shown {
      shown = entry.time
      if invocation.isJSON { emit(entry.jsonBytes) } else { invocation.print(PluginCommands.line(entry)) }
    }
  }

  private func emit(_ json: [UInt8]) { invocation.console.print(String(decoding: json, as: UTF8.self)) }
}
