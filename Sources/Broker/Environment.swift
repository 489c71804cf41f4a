package import PhotoModel

/// Time and randomness for the broker. Tests control both.
package protocol Environment: AnyObject {
  /// The wall clock, for dates that people see and for expiry.
  var now: Timestamp { get }
  /// A clock that nobody can set back, with an arbitrary start; for deadlines of live connections.
  var monotonic: Duration { get }
  /// Cryptographically random bytes.
  func randomBytes(_ count: Int) -> [UInt8]
}

extension Environment {
  /// The machine's boot time in seconds of the wall clock, as far as that is right.
  package var bootSeconds: Int64 { now.microseconds / 1_000_000 - monotonic.components.seconds }

  /// 128 cryptographically random bits.
  package func randomWords() -> (high: UInt64, low: UInt64) {
    let bytes = randomBytes(16)
    func word(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
    return (word(0..<8), word(8..<16))
  }
}
