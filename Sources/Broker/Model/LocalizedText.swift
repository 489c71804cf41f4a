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

  /// The text for a language tag: the tag itself, then its first part, then the default. Nil where that is blank.
  package func text(for language: String?) -> String? {
    let candidates: [String?]
    if let language = language?.lowercased() {
      let base = language.split(whereSeparator: { $0 == "-" || $0 == "_" }).first.map(String.init)
      candidates = [translations[language], base.flatMap { translations[$0] }, defaultText]
    } else {
      candidates = [defaultText]
    }
    return candidates.lazy.compactMap { $0 }.first { text in text.contains { !$0.isWhitespace } }
  }
}
