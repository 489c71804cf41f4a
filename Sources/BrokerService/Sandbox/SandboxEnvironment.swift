import Broker
import Cryptography
import Limits
import PhotoModel

/// A clock that is set by hand, and randomness that follows from a seed.
final class SandboxEnvironment: Environment {
  private(set) var now: Timestamp
  private(set) var monotonic = Duration.seconds(1_000)
  private var seed: [UInt8]
  private var drawn: UInt64 = 0

  init(_ options: SandboxOptions) {
    let start = options.clock ?? SystemEnvironment().now.microseconds
    now = Timestamp(microseconds: min(max(start, SandboxLimits.clock.lowerBound), SandboxLimits.clock.upperBound))
    seed = Array(options.seed.utf8)
  }

  func setSeed(_ text: String) {
    seed = Array(text.utf8)
    drawn = 0
  }

  func set(_ microseconds: Int64) { now = Timestamp(microseconds: microseconds) }

  /// False if the time would be out of range.
  func advance(_ microseconds: Int64) -> Bool {
    let (moment, overflow) = now.microseconds.addingReportingOverflow(microseconds)
    guard !overflow, SandboxLimits.clock.contains(moment) else { return false }
    set(moment)
    monotonic += .microseconds(microseconds)
    return true
  }

  func randomBytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      drawn &+= 1
      let block = seed + [0] + (0..<8).map { UInt8(truncatingIfNeeded: drawn >> (8 * $0)) }
      // If libcrypto fails, the real randomness costs only the repeatability.
      guard let digest = try? SHA256.digest(of: block.span) else { return SystemEnvironment().randomBytes(count) }
      bytes += digest.bytes
    }
    return Array(bytes[..<count])
  }
}
