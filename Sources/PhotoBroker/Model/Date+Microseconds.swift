import Foundation

extension Date {
  /// Creates a date from the interface's timestamp: microseconds since 1970 in UTC.
  init(microseconds: Int64) { self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000) }

  /// The interface's timestamp. Dates out of the range of 64 bits become the nearest end of it.
  var microseconds: Int64 {
    let value = (timeIntervalSince1970 * 1_000_000).rounded()
    return Int64(exactly: value) ?? (value < 0 ? .min : .max)
  }
}
