extension RandomAccessCollection {
  /// The first index of the elements that meet a condition, which no element before meets and all
  /// after do.
  package func partitioningIndex(where isMet: (Element) -> Bool) -> Index {
    var (low, count) = (startIndex, self.count)
    while count > 0 {
      let half = count / 2
      let middle = index(low, offsetBy: half)
      if isMet(self[middle]) {
        count = half
      } else {
        low = index(after: middle)
        count -= half + 1
      }
    }
    return low
  }
}
