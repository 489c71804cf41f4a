/// The common part of all file names that ``FileGrouping`` may group into one photo.
///
/// A storage adds a file to a folder of its own if others of its family exist. Otherwise unrelated
/// photos would merge, and an app would see another app's or the owner's photo beside its own.
public enum NameFamily {
  /// Returns a name's family. Names of one photo always share it; other names may share it too.
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
