import Glibc

/// A moment or deadline on the monotonic clock. Setting the machine's clock does not change it; it
/// stops while the machine is suspended.
package struct MonotonicTime: Sendable, Comparable, Hashable {
  /// Nanoseconds of CLOCK_MONOTONIC.
  package let nanoseconds: Int64

  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// No deadline.
  package static let never = MonotonicTime(nanoseconds: .max)

  package static var now: MonotonicTime {
    var time = Glibc.timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// The moment after a duration from now; `never` on overflow.
  package static func after(_ duration: Duration) -> MonotonicTime { now.advanced(by: duration) }

  /// The moment after a duration, never before the clock's start.
  package func advanced(by duration: Duration) -> MonotonicTime {
    guard self != .never else { return .never }
    let (seconds, attoseconds) = duration.components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? MonotonicTime(nanoseconds: 0) : .never }
    let (sum, carry) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    let (end, past) = nanoseconds.addingReportingOverflow(sum)
    return carry || past ? .never : MonotonicTime(nanoseconds: max(end, 0))
  }

  package var hasPassed: Bool { self != .never && Self.now >= self }

  /// The remaining time for poll: rounded up to a millisecond, 0 if it has passed, -1 for `never`.
  package var pollMilliseconds: Int32 {
    guard self != .never else { return -1 }
    let left = nanoseconds - Self.now.nanoseconds
    return left <= 0 ? 0 : Int32(clamping: (left - 1) / 1_000_000 + 1)
  }

  /// The remaining microseconds for SO_SNDTIMEO: at least 1, and 0 for `never`.
  package var socketMicroseconds: Int64 {
    guard self != .never else { return 0 }
    return max((nanoseconds - Self.now.nanoseconds) / 1_000, 1)
  }

  /// The remaining time; zero if it has passed.
  package var remaining: Duration {
    self == .never ? .seconds(Int64.max / 1_000_000_000) : .nanoseconds(max(0, nanoseconds - Self.now.nanoseconds))
  }

  var timespec: Glibc.timespec {
    Glibc.timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }

  package static func < (a: Self, b: Self) -> Bool { a.nanoseconds < b.nanoseconds }
}
