/// What a sandbox's script may set.
package enum SandboxLimits {
  /// Microseconds since 1970-01-01T00:00:00Z, up to 2100: far enough for any test, and no
  /// arithmetic on dates overflows.
  package static let clock: ClosedRange<Int64> = 0...4_102_444_800_000_000
  /// Bytes of what chance follows from.
  package static let seedBytes = 256
}
