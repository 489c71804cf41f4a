/// The language that the person reads, as their locale names it.
enum PersonLanguage {
  /// The language's tag, as `de` or `pt-BR`: of the first of LC_ALL, LC_MESSAGES and LANG that is
  /// set. Nil where it names no language (`C`, `POSIX`), as on a machine that nobody set up.
  static func tag(_ environment: [String: String]) -> String? {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    // `de_DE.UTF-8@euro`: what follows the territory says how it is written, not in which language.
    guard let name = locale?.prefix(while: { $0 != "." && $0 != "@" }), name != "C", name != "POSIX", !name.isEmpty
    else { return nil }
    return name.split(separator: "_").joined(separator: "-")
  }
}
