/// What the names of apps are held to beside that: two that look alike should be alike.
extension String {
  /// Whether people can be shown it as an app's name: nothing in it is hidden, and whatever joins
  /// or varies letters stands where a script or an emoji needs it. Source:
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

  /// Whether it reads as the broker's own name, which no app has.
  package var isNameOfBroker: Bool { lowercased().filter { $0.isLetter || $0.isNumber } == "photobroker" }

  /// As many marks as one letter has in any living script: a Burmese syllable.
  private static let mostMarks = 4
}

extension Unicode.Scalar {
  fileprivate var isStackingMark: Bool {
    switch properties.generalCategory {
    // Selectors count as marks and draw nothing.
    case .nonspacingMark, .enclosingMark: !properties.isVariationSelector
    default: false
    }
  }

  /// Whether something of it is seen where it stands.
  fileprivate func isShowable(between before: Self?, and after: Self?) -> Bool {
    switch value {
    // Zero width non-joiner and joiner.
    case 0x200c: before?.isJoined ?? false && after?.isJoined ?? false
    case 0x200d:
      before?.isJoined ?? false && after?.isJoined ?? false || before?.endsEmoji ?? false && after?.isPicture ?? false
    // As text, as a picture. A digit is a picture on a keycap alone.
    case 0xfe0e, 0xfe0f: before?.isPicture ?? false || before?.properties.isEmoji ?? false && after?.value == 0x20e3
    case 0xfe00...0xfe0d, 0xe0100...0xe01ef: before?.properties.isIdeographic ?? false
    // Mongolian: forms of a letter, and the vowel that stands apart.
    case 0x180b...0x180d, 0x180f: before?.isMongolian ?? false
    case 0x180e: before?.isMongolian ?? false && after?.isMongolian ?? false
    // What stands for an object that is not there.
    case 0xfffc: false
    default: !properties.isDefaultIgnorableCodePoint
    }
  }

  /// Drawn as a picture by itself; digits and the like are not.
  private var isPicture: Bool { !isASCII && properties.isEmoji }
  private var endsEmoji: Bool { isPicture || value == 0xfe0f || properties.isEmojiModifier }
  private var isMongolian: Bool { (0x1820...0x18aa).contains(value) }

  /// A letter or mark of a script whose letters join, where a joiner changes what is seen: Arabic
  /// and its kin, and those from Brahmi.
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
