/// What text of apps is held to before people are shown it, by the broker and by what checks it beforehand.
extension String {
  /// Whether people can be shown it beside other text. What turns the text around it, or hides in
  /// it, would say something else than the person reads. Joiners, variation selectors and soft
  /// hyphens belong to how languages and emoji are written.
  package func isShowable(allowsLines: Bool) -> Bool {
    unicodeScalars.allSatisfy { scalar in
      switch scalar.value {
      case 0x0a: allowsLines
      case ..<0x20, 0x7f...0x9f, 0x200b, 0x200e, 0x200f, 0x061c, 0x2028...0x202e, 0x2060...0x206f, 0xfeff,
        0xfff9...0xfffb,
        0xe0000...0xe007f:
        false
      default: true
      }
    }
  }

  /// Whether nothing in it can be seen.
  package var isBlank: Bool { unicodeScalars.allSatisfy(\.isInvisible) }
}

extension Unicode.Scalar {
  /// Whether it does something other than to be seen, by itself: space, control, direction, zero
  /// width, private, not assigned.
  package var isInvisible: Bool {
    // Printable ASCII is what nearly all text is.
    if (0x21...0x7e).contains(value) { return false }
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: return true
    default: break
    }
    // The empty pattern of Braille counts as a symbol.
    return properties.isWhitespace || properties.isDefaultIgnorableCodePoint || value == 0x2800
  }
}
