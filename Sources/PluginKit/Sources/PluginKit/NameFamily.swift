/// The common part of all file names that ``FileGrouping`` may group into one photo.
///
/// A storage adds a file to a folder of its own if others of its family exist. Otherwise unrelated
/// photos would merge, and an app would see another app's or the owner's photo beside its own.
public enum NameFamily {
  /// Google cuts the names of sidecars after 46 characters, so that the rest may be missing.
  private static let comparedCharacters = 40

  /// Returns a name's family. Names of one photo always share it; other names may share it too.
  public static func of(_ name: String) -> String {
    var family = name.lowercased().prefix { $0 != "." }
    while let shorter = family.withoutCounter ?? family.withoutEditMark { family = shorter }
    return String((family.originalOfApplesEdit ?? String(family)).prefix(comparedCharacters))
  }
}

extension Substring {
  /// Marks of edited versions, which Google Photos translates.
  private static let editMarks = [
    "-edited", "-bearbeitet", "-modifié", "-edité", "-editado", "-ha editado", "-modificato", "-bewerkt", "-edytowane",
    "-redigerad", "-redigeret", "-redigert", "-muokattu", "-upraveno", "-szerkesztve", "-editat", "-düzenlendi",
    "-изменено", "-отредактировано", "-編集済み", "-수정됨", "-已編輯", "-已编辑", "-已修改",
  ]

  /// A lower-case name without the mark of an edited version at its end; nil: it has none.
  var withoutEditMark: Substring? {
    Self.editMarks.first { hasSuffix($0) }.map { dropLast($0.count) }
  }

  /// A name without the number of a duplicate at its end, `(1)`; nil: it has none.
  var withoutCounter: Substring? {
    guard hasSuffix(")"), let open = lastIndex(of: "(") else { return nil }
    let digits = self[index(after: open)...].dropLast()
    return !digits.isEmpty && digits.allSatisfy { $0.isASCII && $0.isNumber } ? self[..<open] : nil
  }

  /// `img_0001` for the lower-case name of Apple's edited version, `img_e0001`.
  var originalOfApplesEdit: String? {
    let digits = dropFirst(5)
    let isEdit = hasPrefix("img_e") && digits.count == 4 && digits.allSatisfy { $0.isASCII && $0.isNumber }
    return isEdit ? "img_" + digits : nil
  }
}
