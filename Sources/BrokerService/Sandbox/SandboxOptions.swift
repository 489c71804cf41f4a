/// How a throw-away broker is set up.
package struct SandboxOptions: Sendable {
  /// What chance follows from.
  package var seed: String
  /// Where its clock stands at first, in microseconds since 1970-01-01T00:00:00Z. Nil: at the machine's time.
  package var clock: Int64?

  package init(seed: String, clock: Int64? = nil) {
    self.seed = seed
    self.clock = clock
  }
}
