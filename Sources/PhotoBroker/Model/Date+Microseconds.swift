import Foundation

extension Date {
  /// A point in time as the interface has it: microseconds since 1970 in UTC.
  init(microseconds: Int64) { self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000) }

  /// The same; dates beyond what 64 bits hold are moved to their ends.
  var microseconds: Int64 {
    let value = (timeIntervalSince1970 * 1_000_000).rounded()
    return Int64(exactly: value) ?? (value < 0 ? .min : .max)
  }
}
