import Monitor

/// How fast a child's error output is read: lines for a person, not a stream. No clock of its own.
struct OutputPace {
  /// What is read at once, and then no more for a while.
  static let burstBytes = 256 << 10
  static let pause = Duration.milliseconds(250)

  private var bytes = 0
  private var began: MonotonicTime?
  /// When reading goes on; nil: now.
  private(set) var pausedUntil: MonotonicTime?

  /// So many bytes were read.
  mutating func note(_ count: Int, now: MonotonicTime) {
    if let began, began.advanced(by: Self.pause) > now { bytes += count } else { (began, bytes) = (now, count) }
    if bytes >= Self.burstBytes { pausedUntil = now.advanced(by: Self.pause) }
  }

  /// Ends a pause that is over.
  mutating func resume(now: MonotonicTime) {
    guard let end = pausedUntil, end <= now else { return }
    (pausedUntil, began, bytes) = (nil, nil, 0)
  }
}
