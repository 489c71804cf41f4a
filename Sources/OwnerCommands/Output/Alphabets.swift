/// Alphabets with lookalike letters; the same blocks as in page/names.js.
enum Alphabets {
  /// Whether one word mixes these alphabets, as a name does that imitates another.
  static func areMixed(in text: String) -> Bool {
    var seen: Set<Alphabet> = []
    for scalar in text.unicodeScalars {
      guard scalar.properties.isAlphabetic || isMark(scalar) else {
        seen = []
        continue
      }
      if let alphabet = Alphabet(scalar) { seen.insert(alphabet) }
      if seen.count > 1 { return true }
    }
    return false
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    [.nonspacingMark, .spacingMark, .enclosingMark].contains(scalar.properties.generalCategory)
  }

  private enum Alphabet {
    case latin, cyrillic, greek

    /// The alphabet by Unicode block; nil: another one. The micro and ohm signs count as none,
    /// because units combine them with Latin letters.
    init?(_ scalar: Unicode.Scalar) {
      switch scalar.value {
      case 0x41...0x5A, 0x61...0x7A, 0xC0...0x2AF, 0x1D00...0x1D25, 0x1E00...0x1EFF, 0x212A...0x212B, 0x2160...0x2188,
        0x2C60...0x2C7F,
        0xA720...0xA7FF, 0xAB30...0xAB5A, 0xFB00...0xFB06, 0xFF21...0xFF3A, 0xFF41...0xFF5A, 0x1D400...0x1D6A5:
        self = .latin
      case 0x370...0x3FF, 0x1F00...0x1FFF, 0x1D6A8...0x1D7CB: self = .greek
      case 0x400...0x52F, 0x1C80...0x1C8F, 0x2DE0...0x2DFF, 0xA640...0xA69F: self = .cyrillic
      default: return nil
      }
    }
  }
}
