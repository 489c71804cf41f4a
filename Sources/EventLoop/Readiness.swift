import CLinux

/// What a source is ready for.
package struct Readiness: OptionSet, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let readable = Readiness(rawValue: EPOLLIN.rawValue)
  package static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
  /// The other end will write no more.
  package static let peerClosed = Readiness(rawValue: EPOLLRDHUP.rawValue)
  /// Both directions are closed. Told whether asked for or not, on every turn: deregister, or the loop spins.
  package static let hungUp = Readiness(rawValue: EPOLLHUP.rawValue)
  /// The descriptor is in error. Told whether asked for or not, on every turn.
  package static let failed = Readiness(rawValue: EPOLLERR.rawValue)

  /// Whether a read now gives bytes, the end or the error.
  package var isWorthReading: Bool { rawValue & (EPOLLIN.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 }
}
