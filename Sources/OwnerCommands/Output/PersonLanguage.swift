/// The person's language by their locale.
enum PersonLanguage {
  /// The language tag, such as `de` or `pt-BR`, of the first of LC_ALL, LC_MESSAGES and LANG that
  /// is set. Nil for `C` and `POSIX`, as on a machine without a configured locale.
  static func tag(_ environment: [String: String]) -> String? {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    // `de_DE.UTF-8@euro`: the encoding and the modifier do not change the language.
    guard let name = locale?.prefix(while: { $0 != "." && $0 != "@" }), name != "C", name != "POSIX", !name.isEmpty
    else { return nil }
    return name.split(separator: "_").joined(separator: "-")
  }
}
