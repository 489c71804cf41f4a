/// Rules for text of apps that people see, for the broker and for `photobroker doctor`.
extension String {
  /// Whether people can be shown it beside other text. Characters that hide, or change the
  /// direction of the text around them, could make it read differently. Joiners, variation
  /// selectors and soft hyphens are allowed, since languages and emoji need them.
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

  /// Whether all of it is invisible.
  package var isBlank: Bool { unicodeScalars.allSatisfy(\.isInvisible) }
}

extension Unicode.Scalar {
  /// Whether it is invisible by itself: a space, control, direction, zero-width, private or
  /// unassigned character.
  package var isInvisible: Bool {
    // A fast path: nearly all text is printable ASCII.
    if (0x21...0x7e).contains(value) { return false }
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: return true
    default: break
    }
    // The empty Braille pattern has the category of a symbol.
    return properties.isWhitespace || properties.isDefaultIgnorableCodePoint || value == 0x2800
  }
}
