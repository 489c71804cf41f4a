import Limits
import PhotoModel

/// A point in one grant's feed: the generation of the view, the number and digest of visible
/// changes, and a digest of the visible albums. Albums are compared by state, because a policy may
/// change its answer without any change in the log (R137), and because changes of invisible members
/// do not count.
struct ChangeToken {
  /// Microseconds of an hour. Times in tokens are rounded to hours, so that a token reveals no
  /// exact time and stays the same while nothing changes.
  private static let hour: Int64 = 3_600_000_000

  var generation: UInt32
  var position: UInt64
  var digest: UInt64
  var albums: UInt64
  /// Time of issue in hours since 1970; 0 before that.
  private var hours: UInt32

  init(generation: UInt32, position: UInt64, digest: UInt64, albums: UInt64, issued: Timestamp) {
    self.generation = generation
    self.position = position
    self.digest = digest
    self.albums = albums
    hours = UInt32(clamping: issued.microseconds / Self.hour)
  }

  init?(bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    generation = UInt32(truncatingIfNeeded: Self.number(bytes[..<4]))
    position = Self.number(bytes[4..<12])
    digest = Self.number(bytes[12..<20])
    albums = Self.number(bytes[20..<28])
    hours = UInt32(truncatingIfNeeded: Self.number(bytes[28...]))
  }

  var bytes: [UInt8] {
    Self.bytes(UInt64(generation), count: 4) + Self.bytes(position, count: 8) + Self.bytes(digest, count: 8)
      + Self.bytes(albums, count: 8) + Self.bytes(UInt64(hours), count: 4)
  }

  /// Whether both are at the same point, whatever their time of issue.
  func isAt(_ other: Self) -> Bool {
    generation == other.generation && position == other.position && digest == other.digest && albums == other.albums
  }

  /// Whether it is older than its lifetime. A token from the future, after the clock was set back,
  /// has not expired.
  func hasExpired(at now: Timestamp) -> Bool {
    let age = now.microseconds / Self.hour - Int64(hours)
    return age > BrokerLimits.changeTokenLifetime.components.seconds / 3_600
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func bytes(_ number: UInt64, count: UInt64) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
