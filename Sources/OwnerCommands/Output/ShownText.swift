/// Text of apps, photos and files without characters that move a terminal's cursor, change the
/// direction or are invisible.
enum ShownText {
  /// Combining marks per letter before further ones are escaped: many marks cover the lines above.
  static let marksPerLetter = 4

  /// Writes hidden characters as `\u{...}`, and a backslash as two.
  static func escaped(_ text: String) -> String {
    // Nearly all text is printable ASCII.
    if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }) { return text }
    var shown = ""
    var marks = 0
    for scalar in text.unicodeScalars {
      let category = scalar.properties.generalCategory
      marks = category == .nonspacingMark || category == .enclosingMark ? marks + 1 : 0
      if scalar == "\\" {
        shown += "\\\\"
      } else if isHidden(scalar) || marks > marksPerLetter {
        shown += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }

  /// As `escaped`, for several lines; all but the first are indented.
  static func lines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { escaped(String($0)) }.joined(separator: "\n  ")
  }

  /// Breaks an escaped text into lines of at most `columns`, at spaces where there are any.
  ///
  /// - Parameter hanging: how far all lines but the first are indented; nil: twice as far.
  static func wrapped(_ text: String, to columns: Int, indent: Int, hanging: Int? = nil) -> [String] {
    var lines: [String] = []
    var line = String(repeating: " ", count: indent)
    let next = String(repeating: " ", count: hanging ?? 2 * indent)
    var isEmpty = true
    func end() {
      lines.append(line)
      (line, isEmpty) = (next, true)
    }
    for word in text.split(separator: " ") {
      if !isEmpty, width(line) + 1 + width(String(word)) > columns { end() }
      if !isEmpty { line += " " }
      for character in word {
        if !isEmpty, width(line) + width(String(character)) > columns { end() }
        line.append(character)
        isEmpty = false
      }
    }
    if !isEmpty || lines.isEmpty { lines.append(line) }
    return lines
  }

  /// An app's own words. Runs of blanks become one space, and curly quotation marks straight ones, so
  /// that the words imitate no line of the broker's and do not end their own quotation.
  static func claimed(_ text: String) -> String {
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      guard isBlank(scalar) else {
        shown.append("“”„".unicodeScalars.contains(scalar) ? "\"" : scalar)
        continue
      }
      if shown.last != " " { shown.append(" ") }
    }
    return String(shown)
  }

  /// Spaces of any width, and the Braille pattern without dots.
  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .spaceSeparator || scalar == "\u{2800}"
  }

  /// Whether a character has no glyph: control, direction, zero width, private use, unassigned.
  static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    // Fast path, because nearly all text is printable ASCII.
    if (0x20...0x7E).contains(scalar.value) { return false }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: return true
    default: return scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  /// Columns of escaped text on a terminal.
  static func width(_ text: String) -> Int {
    let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
    return isASCII ? text.utf8.count : text.unicodeScalars.reduce(0) { $0 + width($1) }
  }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF,
      0x20000...0x3FFFD:
      return 2
    default:
      return scalar.properties.isEmojiPresentation ? 2 : 1
    }
  }
}
