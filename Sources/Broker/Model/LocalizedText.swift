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
  /// parts go from the end (RFC 4647, lookup: `zh-hant-tw`, `zh-hant`, `zh`), where `zh-tw` is `zh-hant-tw`; then of the same language
  /// elsewhere in the same script (`pt-br` for `pt-pt`); the default where none of them has one. A blank text counts as none. Nil where
  /// the default is blank too.
  package func text(for languages: String?) -> String? { match(for: languages)?.text }

  /// The same text, and which language it was found under; nil for that of the default.
  func match(for languages: String?) -> (language: String?, text: String)? {
    for language in (languages?.lowercased() ?? "").split(separator: ",").prefix(Self.languageLimit) {
      let parts = Self.parts(String(language))
      guard let first = parts.first else { continue }
      let tags = Self.shortened(parts) + Self.shortened(Self.withScript(parts)) + [first] + related(to: parts)
      for tag in tags { if let text = translations[tag], !text.isBlank { return (tag, text) } }
    }
    return defaultText.flatMap { $0.isBlank ? nil : (nil, $0) }
  }

  private static func parts(_ tag: String) -> [String] {
    tag.split(whereSeparator: { $0 == "-" || $0 == "_" || $0 == " " }).prefix(partLimit).map(String.init)
  }

  /// A tag, and what is left of it as its parts go from the end, but for the language alone.
  private static func shortened(_ parts: [String]) -> [String] {
    parts.count < 2 ? [] : (2...parts.count).reversed().map { parts.prefix($0).joined(separator: "-") }
  }

  /// Chinese is written in one of two scripts, which its tags leave out more often than not.
  private static func withScript(_ parts: [String]) -> [String] {
    guard parts.first == "zh", script(of: parts) == nil else { return parts }
    let isTraditional = parts.dropFirst().contains { ["tw", "hk", "mo"].contains($0) }
    return ["zh", isTraditional ? "hant" : "hans"] + parts.dropFirst()
  }

  private static func script(of parts: [String]) -> String? {
    parts.dropFirst().first { $0.utf8.count == 4 && $0.utf8.allSatisfy { (0x61...0x7a).contains($0) } }
  }

  /// Tags of the same language in no other script, in order.
  private func related(to parts: [String]) -> [String] {
    let wanted = Self.script(of: Self.withScript(parts))
    return translations.keys.filter { tag in
      let known = Self.parts(tag)
      let script = Self.script(of: Self.withScript(known))
      return known.first == parts.first && (script == nil || wanted == nil || script == wanted)
    }.sorted()
  }
}
