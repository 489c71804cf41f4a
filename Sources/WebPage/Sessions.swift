import Synchronization

/// The open sessions. Their secrets exist in this process's memory and in the pages'; a page that is
/// left keeps its own in the tab's storage.
package final class Sessions: Sendable {
  private struct Open {
    let secret: [UInt8]
    var used: ContinuousClock.Instant
    var isLeft = false
  }

  /// Time without user activity after which a page is locked.
  package static let idleLimit = Duration.seconds(15 * 60)
  /// Time for which a session outlives its page, which may load again.
  private static let reloadTime = Duration.seconds(10)
  /// Greatest number of open pages; a new one closes the one idle longest.
  package static let limit = 16

  private let open = Mutex<[Open]>([])
  let idleLimit: Duration

  package init(idleLimit: Duration = Sessions.idleLimit) { self.idleLimit = idleLimit }

  /// Opens a session. Its secret is 64 random hexadecimal digits.
  package func begin() -> String {
    var generator = SystemRandomNumberGenerator()
    let secret = (0..<64).map { _ in String(UInt8.random(in: 0..<16, using: &generator), radix: 16) }.joined()
    open.withLock { open in
      if open.count >= Self.limit, let oldest = open.indices.min(by: { open[$0].used < open[$1].used }) {
        open.remove(at: oldest)
      }
      open.append(Open(secret: Array(secret.utf8), used: .now))
    }
    return secret
  }

  /// Whether a secret belongs to an open session.
  ///
  /// - Parameter isPerson: Whether this is user activity, which postpones locking; polling is not.
  package func admits(_ shown: String?, isPerson: Bool) -> Bool {
    guard let shown else { return false }
    let bytes = Array(shown.utf8)
    return open.withLock { open in
      let now = ContinuousClock.now
      lockIdle(&open, now)
      var isKnown = false
      for index in open.indices where Self.isEqual(open[index].secret, bytes) {
        isKnown = true
        if isPerson, !open[index].isLeft { open[index].used = now }
      }
      return isKnown
    }
  }

  package func endAll() { open.withLock { $0 = [] } }

  /// Ends a session as if its user had been idle, but for the time of a reload.
  func leave(_ shown: String) {
    let bytes = Array(shown.utf8)
    open.withLock { open in
      for index in open.indices where Self.isEqual(open[index].secret, bytes) {
        open[index].used = min(open[index].used, .now - idleLimit + Self.reloadTime)
        open[index].isLeft = true
      }
    }
  }

  /// Whether no page is open. A window closed without notice counts until its idle limit.
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
