extension JSONReader {
  /// Reads a string.
  ///
  /// - Throws: `wrongType` for any other value; `limitExceeded` if it is longer than the rules
  ///   allow.
  public mutating func readString() throws(VarlinkError) -> String {
    let text = try stringToken()
    if text.hasEscapes { return String(decoding: unescape(text.range), as: UTF8.self) }
    return bytes.extracting(text.range).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  private mutating func stringToken() throws(VarlinkError) -> (range: Range<Int>, hasEscapes: Bool) {
    skipSpace()
    guard current == UInt8(ascii: "\"") else { throw unexpected("a string") }
    position += 1
    let text = try scanString()
    if text.range.count > rules.stringLimitBytes {
      throw .limitExceeded("the length of a string in bytes", limit: rules.stringLimitBytes, at: text.range.lowerBound)
    }
    return text
  }

  /// Finds the closing quote of a string and checks every byte before it. The opening quote is
  /// already taken.
  mutating func scanString() throws(VarlinkError) -> (range: Range<Int>, hasEscapes: Bool) {
    let start = position
    var hasEscapes = false
    while true {
      skipPlainText()
      guard position < bytes.byteCount else { throw .syntax("a string without end", at: start) }
      let next = byte(at: position)
      switch next {
      case UInt8(ascii: "\""):
        position += 1
        return (start..<(position - 1), hasEscapes)
      case UInt8(ascii: "\\"):
        hasEscapes = true
        try scanEscape()
      case 0x80...:
        try scanMultibyte(next)
      case 0x20...:
        position += 1
      default:
        throw .syntax("a control character in a string", at: position)
      }
    }
  }

  /// Skips printable ASCII without quotes and backslashes, eight bytes at a time.
  @inline(__always)
  private mutating func skipPlainText() {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let tops: UInt64 = 0x8080_8080_8080_8080
    while bytes.byteCount - position >= 8 {
      let word = UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
      let quote = word ^ (ones &* 0x22)
      let slash = word ^ (ones &* 0x5C)
      // The lowest marked byte is exact; a borrow can only mark bytes above it.
      let control = (word &- (ones &* 0x20)) & ~word
      let stops = (word | control | ((quote &- ones) & ~quote) | ((slash &- ones) & ~slash)) & tops
      if stops != 0 {
        position += stops.trailingZeroBitCount >> 3
        return
      }
      position += 8
    }
  }

  private mutating func scanMultibyte(_ lead: UInt8) throws(VarlinkError) {
    let start = position
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch lead {
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    case 0xF1...0xF3: length = 4
    default: throw .invalidText(at: start)
    }
    guard bytes.byteCount - start >= length, second.contains(byte(at: start + 1)) else {
      throw .invalidText(at: start)
    }
    for index in 2..<max(length, 2) where byte(at: start + index) & 0xC0 != 0x80 { throw .invalidText(at: start) }
    position = start + length
  }

  private mutating func scanEscape() throws(VarlinkError) {
    let start = position
    position += 1
    switch current {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 1
    case UInt8(ascii: "u"):
      position += 1
      let unit = try scanHexUnit()
      switch unit {
      case 0xDC00...0xDFFF:
        throw .invalidText(at: start)
      case 0xD800...0xDBFF:
        guard take(word: "\\u") else { throw .invalidText(at: start) }
        guard (0xDC00...0xDFFF).contains(try scanHexUnit()) else { throw .invalidText(at: start) }
      default:
        break
      }
    default:
      throw .syntax("an unknown escape", at: start)
    }
  }

  private mutating func scanHexUnit() throws(VarlinkError) -> UInt16 {
    guard let unit = hexUnit(at: position) else { throw .syntax("four hexadecimal digits expected", at: position) }
    position += 4
    return unit
  }

  private func hexUnit(at offset: Int) -> UInt16? {
    guard bytes.byteCount - offset >= 4 else { return nil }
    var unit: UInt16 = 0
    for index in offset..<(offset + 4) {
      let digit = byte(at: index)
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): unit = unit << 4 | UInt16(digit &- UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): unit = unit << 4 | UInt16(digit &- UInt8(ascii: "a") &+ 10)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): unit = unit << 4 | UInt16(digit &- UInt8(ascii: "A") &+ 10)
      default: return nil
      }
    }
    return unit
  }

  func copy(_ range: Range<Int>) -> [UInt8] {
    bytes.extracting(range).withUnsafeBytes { [UInt8]($0) }
  }

  /// The text of a scanned string, whose escapes are well-formed.
  func unescape(_ range: Range<Int>) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(range.count)
    var offset = range.lowerBound
    while offset < range.upperBound {
      let next = byte(at: offset)
      guard next == UInt8(ascii: "\\"), offset + 1 < range.upperBound else {
        text.append(next)
        offset += 1
        continue
      }
      let kind = byte(at: offset + 1)
      offset += 2
      switch kind {
      case UInt8(ascii: "b"): text.append(0x08)
      case UInt8(ascii: "f"): text.append(0x0C)
      case UInt8(ascii: "n"): text.append(0x0A)
      case UInt8(ascii: "r"): text.append(0x0D)
      case UInt8(ascii: "t"): text.append(0x09)
      case UInt8(ascii: "u"):
        var scalar = UInt32(hexUnit(at: offset) ?? 0xFFFD)
        offset += 4
        if scalar & 0xFC00 == 0xD800, let low = hexUnit(at: offset + 2) {
          scalar = 0x10000 + (scalar & 0x3FF) << 10 + (UInt32(low) & 0x3FF)
          offset += 6
        }
        text.append(contentsOf: UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter)
      default: text.append(kind)
      }
    }
    return text
  }
}
