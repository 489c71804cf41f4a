/// Counts and durations as text for people.
package enum Amount {
  /// A number with its noun: `1 photo`, `3 photos`.
  package static func count(_ number: some BinaryInteger, _ noun: String, _ plural: String? = nil) -> String {
    "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
  }

  /// A duration in its largest unit and the next smaller one, rounded up: `30 days`,
  /// `1 hour 30 minutes`.
  package static func duration(seconds: Int64) -> String {
    let units: [(name: String, seconds: Int64)] = [("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1)]
    let seconds = min(max(1, seconds), .max - 86_400)
    let largest = units.firstIndex { seconds >= $0.seconds } ?? 0
    let smallest = units[min(largest + 1, units.count - 1)].seconds
    var rest = (seconds + smallest - 1) / smallest * smallest
    return units.compactMap { unit in
      let number = rest / unit.seconds
      rest %= unit.seconds
      return number > 0 ? count(number, unit.name) : nil
    }.joined(separator: " ")
  }
}
