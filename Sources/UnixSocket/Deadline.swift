import Glibc

/// A moment on the monotonic clock by which something must have happened; setting the clock does not move it.
package struct Deadline: Sendable {
  /// Nanoseconds on CLOCK_MONOTONIC.
  private let nanoseconds: UInt64

  /// No limit.
  package static let never = Deadline(nanoseconds: .max)

  private init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  /// So long from now; a negative duration is already over, one of centuries never is.
  package static func after(_ duration: Duration) -> Deadline {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else { return Deadline(nanoseconds: 0) }
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = whole.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
    let (end, past) = now.addingReportingOverflow(sum)
    return overflow || carry || past ? .never : Deadline(nanoseconds: end)
  }

  /// Whether it is over.
  package var hasPassed: Bool { nanoseconds != .max && Self.now >= nanoseconds }

  /// What is left in milliseconds, rounded up, for poll: -1 for no limit, 0 when over.
  var pollMilliseconds: Int32 {
    guard nanoseconds != .max else { return -1 }
    let now = Self.now
    guard nanoseconds > now else { return 0 }
    return Int32(clamping: (nanoseconds - now - 1) / 1_000_000 + 1)
  }

  /// What is left in microseconds, at least 1; 0 for no limit, as SO_SNDTIMEO has it.
  var socketMicroseconds: Int64 {
    guard nanoseconds != .max else { return 0 }
    let now = Self.now
    return nanoseconds > now ? Int64(clamping: max((nanoseconds - now) / 1_000, 1)) : 1
  }

  private static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
