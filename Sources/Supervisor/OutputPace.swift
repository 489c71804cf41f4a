import Monitor

/// Limits the reading of a child's error output: it is meant for people. It has no clock.
struct OutputPace {
  /// Bytes read before a pause.
  static let burstBytes = 256 << 10
  static let pause = Duration.milliseconds(250)

  private var bytes = 0
  private var began: MonotonicTime?
  private(set) var pausedUntil: MonotonicTime?

  mutating func note(_ count: Int, now: MonotonicTime) {
    if let began, began.advanced(by: Self.pause) > now { bytes += count } else { (began, bytes) = (now, count) }
    if bytes >= Self.burstBytes { pausedUntil = now.advanced(by: Self.pause) }
  }

  mutating func resume(now: MonotonicTime) {
    guard let end = pausedUntil, end <= now else { return }
    (pausedUntil, began, bytes) = (nil, nil, 0)
  }
}
