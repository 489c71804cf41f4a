import Synchronization

/// The browsers that are let in, each by a secret that lives in its page and in this process's memory, nowhere else.
package final class Sessions: Sendable {
  private struct Open {
    let secret: [UInt8]
    var used: ContinuousClock.Instant
  }

  /// A page that nobody touches for so long is locked.
  package static let idleLimit = Duration.seconds(15 * 60)
  /// Pages that are open at a time; the one unused longest gives way.
  package static let limit = 16

  private let open = Mutex<[Open]>([])
  /// When a page is locked that nobody touches.
  let idleLimit: Duration

  package init(idleLimit: Duration = Sessions.idleLimit) { self.idleLimit = idleLimit }

  /// Lets a browser in: 64 hexadecimal digits that nobody can guess.
  package func begin() -> String {
    var generator = SystemRandomNumberGenerator()
    let digits = Array("0123456789abcdef".utf8)
    let secret = (0..<32).flatMap { _ in
      let byte = UInt8.random(in: .min ... .max, using: &generator)
      return [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    open.withLock { open in
      if open.count >= Self.limit, let oldest = open.indices.min(by: { open[$0].used < open[$1].used }) {
        open.remove(at: oldest)
      }
      open.append(Open(secret: secret, used: .now))
    }
    return String(decoding: secret, as: UTF8.self)
  }

  /// Whether a secret is one of ours.
  ///
  /// - Parameter isPerson: whether this says that somebody is there, which keeps the page unlocked;
  ///   what a page asks does not.
  package func admits(_ shown: String?, isPerson: Bool) -> Bool {
    guard let shown else { return false }
    let bytes = Array(shown.utf8)
    return open.withLock { open in
      let now = ContinuousClock.now
      lockIdle(&open, now)
      var isKnown = false
      for index in open.indices where Self.isEqual(open[index].secret, bytes) {
        isKnown = true
        if isPerson { open[index].used = now }
      }
      return isKnown
    }
  }

  /// Locks a page.
  package func end(_ shown: String) {
    let bytes = Array(shown.utf8)
    open.withLock { $0.removeAll { Self.isEqual($0.secret, bytes) } }
  }

  /// Whether no page is open any more. One whose window was closed without a word is locked when its time is up.
  package var isEmpty: Bool {
    open.withLock { open in
      lockIdle(&open, .now)
      return open.isEmpty
    }
  }

  private func lockIdle(_ open: inout [Open], _ now: ContinuousClock.Instant) {
    open.removeAll { now - $0.used > idleLimit }
  }

  private static func isEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    return zip(a, b).reduce(into: UInt8(0)) { $0 |= $1.0 ^ $1.1 } == 0
  }
}
