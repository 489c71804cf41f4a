import Broker
import PhotoModel

/// Clocks that a test sets, and reproducible randomness.
final class TestEnvironment: Environment {
  var now = Timestamp(microseconds: 1_700_000_000_000_000)
  var monotonic = Duration.seconds(100)
  private var state: UInt64

  init(seed: UInt64 = 1) { state = seed }

  func randomBytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 33)
    }
  }

  /// Advances both clocks.
  func advance(_ duration: Duration) {
    now = now.advanced(by: duration)
    monotonic += duration
  }

  /// Runs `body` without consuming randomness.
  func aside<R>(_ body: () throws -> R) rethrows -> R {
    let before = state
    state = 0xA51DE
    defer { state = before }
    return try body()
  }
}
