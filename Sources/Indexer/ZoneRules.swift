/// The UTC offsets of a place over time: a fixed one, or those of the time zone database with
/// summer time.
package struct ZoneRules: Sendable, Equatable {
  private struct Change: Sendable, Equatable {
    /// Seconds since 1970.
    let instant: Int64
    let offsetMinutes: Int32
  }

  /// In ascending order.
  private var changes: [Change] = []
  /// The offset before the first change.
  private var firstOffsetMinutes: Int32
  /// The rule after the last change.
  private var later: YearlyZoneRule?

  /// - Parameter minutes: East of UTC.
  package static func fixed(minutes: Int32) -> ZoneRules { ZoneRules(firstOffsetMinutes: minutes) }

  private init(firstOffsetMinutes: Int32) { self.firstOffsetMinutes = firstOffsetMinutes }

  /// Reads a file of the time zone database; nil unless it is version 2 or later.
  ///
  /// Source: https://www.rfc-editor.org/rfc/rfc9636
  package init?(file: [UInt8]) {
    var reader = ZoneFileReader(file)
    guard let first = reader.header(), first.version >= UInt8(ascii: "2"), reader.skip(first.byteCount(timeBytes: 4)),
      let counts = reader.header(), counts.types > 0
    else { return nil }
    var instants: [Int64] = []
    for _ in 0..<counts.times {
      guard let instant = reader.number(8), instants.last.map({ $0 < instant }) ?? true else { return nil }
      instants.append(instant)
    }
    guard let types = reader.bytes(counts.times) else { return nil }
    var offsets: [Int32] = []
    for _ in 0..<counts.types {
      guard let seconds = reader.number(4), reader.skip(2), let offset = Self.minutes(seconds) else { return nil }
      offsets.append(offset)
    }
    guard types.allSatisfy({ Int($0) < offsets.count }), reader.skip(counts.rest(timeBytes: 8)),
      let footer = reader.line()
    else {
      return nil
    }
    self.init(firstOffsetMinutes: offsets[0])
    changes = zip(instants, types).map { Change(instant: $0, offsetMinutes: offsets[Int($1)]) }
    if !footer.isEmpty {
      guard let rule = YearlyZoneRule(footer) else { return nil }
      later = rule
    }
  }

  /// Rounds to whole minutes: offsets from before time zones change by half a minute at most.
  private static func minutes(_ seconds: Int64) -> Int32? {
    abs(seconds) <= 26 * 3_600 ? Int32((seconds + 30 - (seconds + 30 < 0 ? 59 : 0)) / 60) : nil
  }

  /// Minutes east of UTC at a moment.
  package func offsetMinutes(at seconds: Int64) -> Int32 {
    if let later, changes.last.map({ $0.instant <= seconds }) ?? true { return later.offsetMinutes(at: seconds) }
    var (low, high) = (0, changes.count)
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].instant <= seconds { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? firstOffsetMinutes : changes[low - 1].offsetMinutes
  }

  /// Minutes east of UTC at a local time. In a repeated hour, the offset of its first pass; in a
  /// skipped hour, the one before it.
  ///
  /// - Parameter seconds: Since 1970, as if the local time were UTC.
  package func offsetMinutes(atLocal seconds: Int64) -> Int32 {
    let before = offsetMinutes(at: seconds.advancedSaturating(by: -86_400))
    if offsetMinutes(at: seconds.advancedSaturating(by: -Int64(before) * 60)) == before { return before }
    let after = offsetMinutes(at: seconds.advancedSaturating(by: 86_400))
    return offsetMinutes(at: seconds.advancedSaturating(by: -Int64(after) * 60)) == after ? after : before
  }
}

extension Int64 {
  fileprivate func advancedSaturating(by other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}
