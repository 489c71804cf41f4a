/// A point in time: microseconds since 1970-01-01T00:00:00Z without leap seconds.
///
/// The range is the years -290308 to 294247. The client library converts it to and from `Date`.
@frozen public struct Timestamp: Hashable, Sendable, Comparable {
  public var microseconds: Int64

  @inlinable public init(microseconds: Int64) { self.microseconds = microseconds }

  /// Creates a time from whole seconds since 1970; nil if it is out of range.
  @inlinable public init?(seconds: Int64) {
    let (value, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    guard !overflow else { return nil }
    self.init(microseconds: value)
  }

  @inlinable public static func < (a: Self, b: Self) -> Bool { a.microseconds < b.microseconds }

  /// Returns the time shifted by `duration`, clamped to the range instead of trapping.
  @inlinable public func advanced(by duration: Duration) -> Timestamp {
    let (seconds, attoseconds) = duration.components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let limit: Int64 = seconds < 0 ? .min : .max
    if overflow { return Timestamp(microseconds: limit) }
    let (span, overflow2) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    if overflow2 { return Timestamp(microseconds: limit) }
    let (sum, overflow3) = microseconds.addingReportingOverflow(span)
    return Timestamp(microseconds: overflow3 ? limit : sum)
  }
}
