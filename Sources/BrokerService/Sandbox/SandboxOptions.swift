/// Options of a throw-away broker.
package struct SandboxOptions: Sendable {
  /// Seed of all its randomness.
  package var seed: String
  /// Time at which its clock starts, in microseconds since 1970-01-01T00:00:00Z. Nil: the machine's
  /// time.
  package var clock: Int64?

  package init(seed: String, clock: Int64? = nil) {
    self.seed = seed
    self.clock = clock
  }
}
