import Limits

/// A text in several languages with a default (R29).
package struct LocalizedText: Sendable, Equatable {
  /// Used where no better language is there. Nil: the manifest lacks it.
  package var defaultText: String?
  /// By language tag, lower case: `de`, `pt-br`.
  package var translations: [String: String]

  package init(defaultText: String?, translations: [String: String] = [:]) {
    self.defaultText = defaultText
    self.translations = translations
  }

  /// How many languages of a list are looked at.
  private static let languageLimit = 8

  /// The text for a list of language tags, the best first, with commas between them: of each tag itself, then of its first part; the
  /// default where none of them has one. Nil where that is blank.
  package func text(for languages: String?) -> String? {
    var candidates: [String?] = []
    for language in (languages?.lowercased() ?? "").split(separator: ",").prefix(Self.languageLimit).map(String.init) {
      let base = language.split(whereSeparator: { $0 == "-" || $0 == "_" }).first.map(String.init)
      candidates += [translations[language], base.flatMap { translations[$0] }]
    }
    candidates.append(defaultText)
    return candidates.lazy.compactMap { $0 }.first { !$0.isBlank }
  }
}
