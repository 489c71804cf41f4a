/// Sets of byte ranges.
enum Ranges {
  /// The same bytes as ascending ranges that neither overlap nor touch.
  static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
    var merged: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
      if let last = merged.last, range.lowerBound <= last.upperBound {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    return merged
  }

  /// Whether two ascending lists of disjoint ranges share a byte.
  static func overlap(_ a: [Range<Int>], _ b: [Range<Int>]) -> Bool {
    var (i, j) = (0, 0)
    while i < a.count, j < b.count {
      if a[i].overlaps(b[j]) { return true }
      if a[i].upperBound <= b[j].upperBound { i += 1 } else { j += 1 }
    }
    return false
  }

  /// Whether a sorted list of disjoint ranges contains all of a range.
  static func contain(_ ranges: [Range<Int>], _ range: Range<Int>) -> Bool {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound <= range.lowerBound { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].lowerBound <= range.lowerBound
      && range.upperBound <= ranges[low].upperBound
  }
}
