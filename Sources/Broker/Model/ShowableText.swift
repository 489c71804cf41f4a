extension String {
  /// Whether people can be shown it beside other text. What turns the text around it, or hides in it, would say something
  /// else than the person reads.
  package func isShowable(allowsLines: Bool) -> Bool {
    unicodeScalars.allSatisfy { scalar in
      switch scalar.value {
      case 0x0a: allowsLines
      case ..<0x20, 0x7f...0x9f, 0x200b, 0x200e, 0x200f, 0x061c, 0x2028...0x202e, 0x2060...0x206f, 0xfeff, 0xfff9...0xfffb,
        0xe0000...0xe007f:
        false
      default: true
      }
    }
  }
}
