/// One chunk of a `BitSieve`. Bit chunks are ANDed eight words at a time. If a required set is an
/// array, the shortest one is walked, and the others are searched.
struct SieveChunk {
  private(set) var isEmpty = false
  private var drive: [UInt16]?
  /// Own the memory of the pointers, so that the innermost loop counts no references.
  private var owners: [BitWords] = []
  private var words: [UnsafeMutablePointer<UInt64>] = []
  private var withoutWords: [UnsafeMutablePointer<UInt64>] = []
  /// Sets without bits, searched for each candidate.
  private var arrays: [[UInt16]] = []
  private var withoutArrays: [[UInt16]] = []

  init(index: Int, required: [PositionSet], excluded: [PositionSet]) {
    for set in required {
      switch set.chunk(index) {
      case .absent:
        isEmpty = true
        return
      case .full: break
      case .bits(let bits, _):
        owners.append(bits)
        words.append(bits.words)
      case .array(let values):
        guard let current = drive else {
          drive = values
          continue
        }
        let isShorter = values.count < current.count
        drive = isShorter ? values : current
        arrays.append(isShorter ? current : values)
      }
    }
    for set in excluded {
      switch set.chunk(index) {
      case .absent: break
      case .full:
        isEmpty = true
        return
      case .bits(let bits, _):
        owners.append(bits)
        withoutWords.append(bits.words)
      case .array(let values): withoutArrays.append(values)
      }
    }
  }

  func count(in range: Range<Int>) -> Int {
    var sum = 0
    if drive != nil || !withoutArrays.isEmpty {
      _ = walk(range, ascending: true) { _ in
        sum += 1
        return true
      }
      return sum
    }
    guard !range.isEmpty else { return 0 }
    let (first, last) = (range.lowerBound >> 9, (range.upperBound - 1) >> 9)
    var sums = SIMD8<UInt64>.zero
    for group in first...last {
      var bits = combined(group)
      if group == first || group == last {
        for lane in 0..<8 { bits[lane] &= mask(group << 3 | lane, range) }
      }
      sums &+= bits.nonzeroBitCount
    }
    return sum + Int(sums.wrappedSum())
  }

  /// Returns false if `body` did.
  @inline(__always)
  func walk(_ range: Range<Int>, ascending: Bool, _ body: (UInt16) -> Bool) -> Bool {
    if let drive { return walk(drive, range, ascending: ascending, body) }
    guard !range.isEmpty else { return true }
    let (first, last) = (range.lowerBound >> 6, (range.upperBound - 1) >> 6)
    var group = ascending ? first >> 3 : last >> 3
    while group >= first >> 3, group <= last >> 3 {
      let bits = combined(group)
      if bits != .zero {
        for step in 0..<8 {
          let lane = ascending ? step : 7 - step
          let index = group << 3 | lane
          var word = bits[lane]
          if index <= first || index >= last { word &= mask(index, range) }
          while word != 0 {
            let bit = ascending ? word.trailingZeroBitCount : 63 - word.leadingZeroBitCount
            word &= ~(1 << UInt64(bit))
            let low = UInt16(truncatingIfNeeded: index << 6 | bit)
            if !withoutArrays.isEmpty, withoutArrays.contains(where: { $0.lowerBound(of: low).found }) { continue }
            if !body(low) { return false }
          }
        }
      }
      group += ascending ? 1 : -1
    }
    return true
  }

  private func walk(_ drive: [UInt16], _ range: Range<Int>, ascending: Bool, _ body: (UInt16) -> Bool) -> Bool {
    let start = drive.lowerBound(of: UInt16(clamping: range.lowerBound)).index
    let end = range.upperBound > Int(UInt16.max) ? drive.count : drive.lowerBound(of: UInt16(range.upperBound)).index
    var index = ascending ? start : end - 1
    // All arrays are traversed side by side, each once.
    var reached = (arrays + withoutArrays).map { ascending ? 0 : $0.count - 1 }
    while index >= start, index < end {
      let low = drive[index]
      index += ascending ? 1 : -1
      if words.contains(where: { !bit(low, of: $0) }) || withoutWords.contains(where: { bit(low, of: $0) }) { continue }
      var passes = true
      for number in reached.indices where passes {
        let isRequired = number < arrays.count
        let values = isRequired ? arrays[number] : withoutArrays[number - arrays.count]
        passes = Self.advance(&reached[number], in: values, to: low, ascending: ascending) == isRequired
      }
      if passes, !body(low) { return false }
    }
    return true
  }

  /// Advances `index` to the first value that is not before `low`; returns whether it equals `low`.
  private static func advance(_ index: inout Int, in values: [UInt16], to low: UInt16, ascending: Bool) -> Bool {
    if ascending {
      while index < values.count, values[index] < low { index += 1 }
    } else {
      while index >= 0, values[index] > low { index -= 1 }
    }
    return values.indices.contains(index) && values[index] == low
  }

  @inline(__always)
  private func combined(_ group: Int) -> SIMD8<UInt64> {
    var bits = SIMD8<UInt64>(repeating: .max)
    for pointer in words { bits &= UnsafeRawPointer(pointer + (group << 3)).loadUnaligned(as: SIMD8<UInt64>.self) }
    for pointer in withoutWords {
      bits &= ~UnsafeRawPointer(pointer + (group << 3)).loadUnaligned(as: SIMD8<UInt64>.self)
    }
    return bits
  }

  private func bit(_ low: UInt16, of words: UnsafeMutablePointer<UInt64>) -> Bool {
    words[Int(low >> 6)] & (1 << UInt64(low & 63)) != 0
  }

  private func mask(_ index: Int, _ range: Range<Int>) -> UInt64 {
    let start = index << 6
    guard range.lowerBound < start + 64, range.upperBound > start else { return 0 }
    var mask = UInt64.max
    if range.lowerBound > start { mask &= UInt64.max << UInt64(range.lowerBound - start) }
    if range.upperBound < start + 64 { mask &= ~(UInt64.max << UInt64(range.upperBound - start)) }
    return mask
  }
}
