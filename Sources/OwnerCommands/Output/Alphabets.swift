/// Alphabets with letters that look like those of another one.
enum Alphabets {
  /// Whether a word has letters of more than one of them, as where a name is to be taken for another one.
  static func areMixed(in text: String) -> Bool {
    var seen: Set<Alphabet> = []
    for scalar in text.unicodeScalars {
      let properties = scalar.properties
      guard properties.isAlphabetic || properties.canonicalCombiningClass != .notReordered else {
        seen = []
        continue
      }
      if let alphabet = Alphabet(scalar) { seen.insert(alphabet) }
      if seen.count > 1 { return true }
    }
    return false
  }

  private enum Alphabet {
    case latin, cyrillic, greek

    /// By the blocks of Unicode; nil: another one.
    init?(_ scalar: Unicode.Scalar) {
      switch scalar.value {
      case 0x41...0x5A, 0x61...0x7A, 0xC0...0x24F, 0x1E00...0x1EFF, 0x2C60...0x2C7F, 0xA720...0xA7FF, 0xFF21...0xFF3A, 0xFF41...0xFF5A:
        self = .latin
      case 0x370...0x3FF, 0x1F00...0x1FFF: self = .greek
      case 0x400...0x52F, 0x1C80...0x1C8F, 0x2DE0...0x2DFF, 0xA640...0xA69F: self = .cyrillic
      default: return nil
      }
    }
  }
}
