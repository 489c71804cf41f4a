import Glibc

/// A moment on the monotonic clock: setting the clock does not move it, suspending the machine stops it.
package struct MonotonicTime: Sendable, Comparable, Hashable {
  /// Nanoseconds since an arbitrary start.
  package let nanoseconds: UInt64

  package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  /// This moment.
  package static func now() -> MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
  }

  /// So much later; a negative duration adds nothing, one of centuries ends at the end of time.
  package func advanced(by duration: Duration) -> MonotonicTime {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else { return self }
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (length, carry) = whole.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
    let (end, past) = nanoseconds.addingReportingOverflow(length)
    return MonotonicTime(nanoseconds: overflow || carry || past ? .max : end)
  }

  package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
}
