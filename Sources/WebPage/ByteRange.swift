struct ByteRange {
  private enum Wanted {
    case from(Int, to: Int?)
    case last(Int)
  }

  private let wanted: Wanted

  /// Nil unless the header is a single byte range.
  init?(_ header: String) {
    let unit = "bytes="
    guard header.lowercased().hasPrefix(unit) else { return nil }
    let ends = header.dropFirst(unit.count).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }) else { return nil }
    switch (Int(ends[0]), Int(ends[1])) {
    case (let first?, let last?) where first <= last: wanted = .from(first, to: last)
    case (let first?, nil) where ends[1].isEmpty: wanted = .from(first, to: nil)
    case (nil, let count?) where ends[0].isEmpty: wanted = .last(count)
    default: return nil
    }
  }

  /// The range within a body of `count` bytes; nil if outside.
  func resolved(in count: Int) -> Range<Int>? {
    switch wanted {
    case .from(let first, let last):
      guard first < count else { return nil }
      return first..<(last.map { min($0, count - 1) + 1 } ?? count)
    case .last(let wanted): return wanted > 0 && count > 0 ? max(0, count - wanted)..<count : nil
    }
  }
}
