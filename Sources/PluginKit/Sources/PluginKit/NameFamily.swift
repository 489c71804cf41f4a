/// What names of files of one folder have in common that may be taken for files of one photo: see
/// ``FileGrouping``.
///
/// A storage that keeps an added file beside others of its family joins photos that have nothing to
/// do with each other, and an app sees with its own photo what another one added, or what the owner
/// has: such a file belongs into a folder of its own.
public enum NameFamily {
  /// The same for names that can be of one photo; also for some that can not.
  public static func of(_ name: String) -> String {
    let lower = name.lowercased()
    var family = lower.prefix { $0 != "." }
    while family.hasSuffix("-edited") { family = family.dropLast(7) }
    let digits = family.dropFirst(5)
    guard family.hasPrefix("img_e"), digits.count == 4, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
      return String(family)
    }
    return "img_" + digits
  }
}
