import CLinux

/// The events that a source is ready for.
package struct Readiness: OptionSet, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
  /// Both directions are closed. Reported on every turn, whatever the interest: deregister, or the
  /// loop spins.
  package static let hungUp = Readiness(rawValue: EPOLLHUP.rawValue)

  /// Whether a read would return bytes, the end or the error.
  package var isWorthReading: Bool { rawValue & (EPOLLIN.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 }
}
