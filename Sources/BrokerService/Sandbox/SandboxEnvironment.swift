import Broker
import Cryptography
import Limits
import PhotoModel

/// A clock that stands still until somebody moves it, and chance that follows from a seed.
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

  /// False where the moment is out of range.
  func set(_ microseconds: Int64) -> Bool {
    guard SandboxLimits.clock.contains(microseconds) else { return false }
    now = Timestamp(microseconds: microseconds)
    return true
  }

  /// False where the moment would be out of range.
  func advance(_ microseconds: Int64) -> Bool {
    let (moment, overflow) = now.microseconds.addingReportingOverflow(microseconds)
    guard microseconds >= 0, !overflow, set(moment) else { return false }
    monotonic += .microseconds(microseconds)
    return true
  }

  func randomBytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      drawn &+= 1
      let block = seed + [0] + (0..<8).map { UInt8(truncatingIfNeeded: drawn >> (8 * $0)) }
      // Where libcrypto fails nothing is guessable either, which is all that is lost.
      guard let digest = try? SHA256.digest(of: block.span) else { return SystemEnvironment().randomBytes(count) }
      bytes += digest.bytes
    }
    return Array(bytes[..<count])
  }
}
