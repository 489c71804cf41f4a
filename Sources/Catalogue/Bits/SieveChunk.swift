/// One chunk of a `BitSieve`: which forms the sets have here decides how it is walked.
///
/// Bit chunks are ANDed sixteen words at a time. If a required set is an array here, the shortest one is walked and
/// the others are asked.
struct SieveChunk {
  private(set) var isEmpty = false
  private var drive: [UInt16]?
  private var words: [BitWords] = []
  private var withoutWords: [BitWords] = []
  /// What cannot be ANDed; asked for each candidate.
  private var arrays: [[UInt16]] = []
  private var withoutArrays: [[UInt16]] = []

  init(index: Int, required: [PositionSet], excluded: [PositionSet]) {
    for set in required {
      switch set.chunk(index) {
      case .absent: isEmpty = true; return
      case .full: break
      case .bits(let bits, _): words.append(bits)
      case .array(let values):
        guard let current = drive else { drive = values; continue }
        let isShorter = values.count < current.count
        drive = isShorter ? values : current
        arrays.append(isShorter ? current : values)
      }
    }
    for set in excluded {
      switch set.chunk(index) {
      case .absent: break
      case .full: isEmpty = true; return
      case .bits(let bits, _): withoutWords.append(bits)
      case .array(let values): withoutArrays.append(values)
      }
    }
  }

  func count(in range: Range<Int>) -> Int {
    if drive == nil, withoutArrays.isEmpty {
      var sum = 0
      var word = range.lowerBound >> 6
      while word << 6 < range.upperBound {
        sum += (combined(word) & mask(word, range)).nonzeroBitCount
        word += 1
      }
      return sum
    }
    var sum = 0
    _ = walk(range, ascending: true) { _ in
      sum += 1
      return true
    }
    return sum
  }

  /// Returns false when `body` did.
  @inline(__always)
  func walk(_ range: Range<Int>, ascending: Bool, _ body: (UInt16) -> Bool) -> Bool {
    if let drive { return walk(drive, range, ascending: ascending, body) }
    let first = range.lowerBound >> 6
    let last = (range.upperBound - 1) >> 6
    guard range.lowerBound < range.upperBound else { return true }
    var index = ascending ? first : last
    while index >= first, index <= last {
      var word = combined(index)
      if index == first || index == last { word &= mask(index, range) }
      while word != 0 {
        let bit = ascending ? word.trailingZeroBitCount : 63 - word.leadingZeroBitCount
        word &= ~(1 << UInt64(bit))
        let low = UInt16(truncatingIfNeeded: index << 6 | bit)
        if !withoutArrays.isEmpty, withoutArrays.contains(where: { $0.lowerBound(of: low).found }) { continue }
        if !body(low) { return false }
      }
      index += ascending ? 1 : -1
    }
    return true
  }

  private func walk(_ drive: [UInt16], _ range: Range<Int>, ascending: Bool, _ body: (UInt16) -> Bool) -> Bool {
    let start = drive.lowerBound(of: UInt16(clamping: range.lowerBound)).index
    let end = range.upperBound > Int(UInt16.max) ? drive.count : drive.lowerBound(of: UInt16(range.upperBound)).index
    var index = ascending ? start : end - 1
    while index >= start, index < end {
      let low = drive[index]
      index += ascending ? 1 : -1
      if words.contains(where: { !$0[low] }) || withoutWords.contains(where: { $0[low] }) { continue }
      if arrays.contains(where: { !$0.lowerBound(of: low).found }) { continue }
      if withoutArrays.contains(where: { $0.lowerBound(of: low).found }) { continue }
      if !body(low) { return false }
    }
    return true
  }

  @inline(__always)
  private func combined(_ index: Int) -> UInt64 {
    var word = UInt64.max
    for bits in words { word &= bits.words[index] }
    for bits in withoutWords { word &= ~bits.words[index] }
    return word
  }

  /// The bits of one word that lie in the range.
  private func mask(_ index: Int, _ range: Range<Int>) -> UInt64 {
    let start = index << 6
    var mask = UInt64.max
    if range.lowerBound > start { mask &= UInt64.max << UInt64(range.lowerBound - start) }
    if range.upperBound < start + 64 { mask &= ~(UInt64.max << UInt64(range.upperBound - start)) }
    return mask
  }
}
