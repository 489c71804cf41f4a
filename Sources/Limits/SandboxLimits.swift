/// The limits of a sandbox's script.
package enum SandboxLimits {
  /// Microseconds since 1970-01-01T00:00:00Z, up to 2100: enough for any test, and date arithmetic
  /// cannot overflow.
  package static let clock: ClosedRange<Int64> = 0...4_102_444_800_000_000
  /// The longest seed in bytes.
  package static let seedBytes = 256
}
