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
  /// How many parts of a tag are looked at.
  private static let partLimit = 8

  /// The text for a list of language tags, the best first, with commas between them: of each tag itself, then of what is left as its
  /// parts go from the end (RFC 4647, lookup: `zh-hant-tw`, `zh-hant`, `zh`); the default where none of them has one. A blank text
  /// counts as none. Nil where the default is blank too.
  package func text(for languages: String?) -> String? { match(for: languages)?.text }

  /// The same text, and which language it was found under; nil for that of the default.
  func match(for languages: String?) -> (language: String?, text: String)? {
    for language in (languages?.lowercased() ?? "").split(separator: ",").prefix(Self.languageLimit) {
      var parts = language.split(whereSeparator: { $0 == "-" || $0 == "_" || $0 == " " }).prefix(Self.partLimit)
      while !parts.isEmpty {
        let tag = parts.joined(separator: "-")
        if let text = translations[tag], !text.isBlank { return (tag, text) }
        parts.removeLast()
      }
    }
    return defaultText.flatMap { $0.isBlank ? nil : (nil, $0) }
  }
}
