/// Additional rules for the names of apps, against names that look alike.
extension String {
  /// Whether people can be shown it as an app's name. It contains nothing invisible. Joiners and
  /// variation selectors are only in places where a script or an emoji needs them. Source:
  /// https://www.unicode.org/reports/tr31/#Layout_and_Format_Control_Characters
  package var isShowableAsName: Bool {
    let scalars = Array(unicodeScalars)
    var marks = 0
    for (index, scalar) in scalars.enumerated() where !scalar.isASCII {
      marks = scalar.isStackingMark ? (index > 0 && scalars[index - 1].isStackingMark ? marks + 1 : 1) : 0
      let before = index > 0 ? scalars[index - 1] : nil
      let after = index + 1 < scalars.count ? scalars[index + 1] : nil
      guard marks <= Self.mostMarks, scalar.isShowable(between: before, and: after) else { return false }
    }
    return isShowable(allowsLines: false) && !isBlank
  }

  /// Whether it looks like the broker's own name, which no app may have.
  package var isNameOfBroker: Bool { lowercased().filter { $0.isLetter || $0.isNumber } == "photobroker" }

  /// The most combining marks on one letter in a living script: a Burmese syllable.
  private static let mostMarks = 4
}

extension Unicode.Scalar {
  fileprivate var isStackingMark: Bool {
    switch properties.generalCategory {
    // Variation selectors have a mark's category but draw nothing.
    case .nonspacingMark, .enclosingMark: !properties.isVariationSelector
    default: false
    }
  }

  /// Whether the character is visible, or affects a visible neighbour.
  fileprivate func isShowable(between before: Self?, and after: Self?) -> Bool {
    switch value {
    // Zero width non-joiner and joiner.
    case 0x200c: before?.isJoined ?? false && after?.isJoined ?? false
    case 0x200d:
      before?.isJoined ?? false && after?.isJoined ?? false || before?.endsEmoji ?? false && after?.isPicture ?? false
    // Text and emoji presentation. A digit has one only in a keycap.
    case 0xfe0e, 0xfe0f: before?.isPicture ?? false || before?.properties.isEmoji ?? false && after?.value == 0x20e3
    case 0xfe00...0xfe0d, 0xe0100...0xe01ef: before?.properties.isIdeographic ?? false
    // Mongolian variation selectors, and the vowel separator.
    case 0x180b...0x180d, 0x180f: before?.isMongolian ?? false
    case 0x180e: before?.isMongolian ?? false && after?.isMongolian ?? false
    // The object replacement character, without its object.
    case 0xfffc: false
    default: !properties.isDefaultIgnorableCodePoint
    }
  }

  /// Whether it is an emoji by itself; digits are not.
  private var isPicture: Bool { !isASCII && properties.isEmoji }
  private var endsEmoji: Bool { isPicture || value == 0xfe0f || properties.isEmojiModifier }
  private var isMongolian: Bool { (0x1820...0x18aa).contains(value) }

  /// Whether its script joins letters, so that a joiner is visible: Arabic, its relatives, and the
  /// Brahmic scripts.
  private var isJoined: Bool {
    switch properties.generalCategory {
    case .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark: break
    default: return false
    }
    switch value {
    case 0x0600...0x0dff, 0x1000...0x109f, 0x1780...0x18af, 0x1900...0x1cff, 0xa800...0xaaff, 0xabc0...0xabff,
      0x10a00...0x10aff,
      0x10d00...0x10fff, 0x11000...0x11fff, 0x1e900...0x1e95f:
      return true
    default: return false
    }
  }
}
