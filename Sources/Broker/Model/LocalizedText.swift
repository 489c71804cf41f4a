import Limits
import Synchronization

/// A text in several languages with a default (R29).
package struct LocalizedText: Sendable, Equatable {
  /// The text for all other languages. Nil: the manifest lacks it.
  package var defaultText: String? { didSet { kept = KeptIndex() } }
  /// By language tag in lower case, such as `de` or `pt-br`.
  package var translations: [String: String] { didSet { kept = KeptIndex() } }
  /// Shared by all copies until one of them changes.
  private var kept = KeptIndex()

  package init(defaultText: String?, translations: [String: String] = [:]) {
    self.defaultText = defaultText
    self.translations = translations
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.defaultText == right.defaultText && left.translations == right.translations
  }

  /// Limit of the considered part of a language list, in characters.
  private static let listLimit = 4_096
  private static let languageLimit = 8
  private static let partLimit = 8
  /// Limit of a tag part, in bytes; valid parts have at most eight. A longer part ends the tag, so
  /// that a list cannot make the lookup slow.
  private static let partBytes = 32

  /// The text for a list of language tags, the best first, separated by commas.
  ///
  /// Each tag is tried as it is, then shortened from the end (RFC 4647, lookup: `zh-hant-tw`,
  /// `zh-hant`, `zh`); `zh-tw` counts as `zh-hant-tw`. Then follows the same language in another
  /// region with the same script (`pt-br` for `pt-pt`), and last the default. A blank text counts
  /// as none. Nil if the default is blank too.
  package func text(for languages: Languages) -> String? { match(for: languages)?.text }

  /// The text, and the tag under which it was found; nil for the default's.
  func match(for languages: String?) -> (language: String?, text: String)? { match(for: Languages(languages)) }

  private func match(for languages: Languages) -> (language: String?, text: String)? {
    let index = index
    for tag in languages.tags { if let found = index.match(tag) { return (found.tag, found.text) } }
    guard let text = index.defaultText else { return nil }
    return (nil, text)
  }

  /// Whether the default is usable. Does not build the index.
  var hasDefault: Bool { defaultText.map { !$0.isBlank } ?? false }

  var index: Index { kept.index(of: self) }

  private static func parts(_ tag: String) -> [String] {
    tag.split(whereSeparator: { $0 == "-" || $0 == "_" || $0 == " " }).prefix(partLimit).map(String.init)
  }

  /// A tag and its shortened forms, without the language alone.
  private static func shortened(_ parts: [String]) -> [String] {
    parts.count < 2 ? [] : (2...parts.count).reversed().map { parts.prefix($0).joined(separator: "-") }
  }

  /// Adds the script to a Chinese tag, because most tags leave it out.
  private static func withScript(_ parts: [String]) -> [String] {
    guard parts.first == "zh", script(of: parts) == nil else { return parts }
    let isTraditional = parts.dropFirst().contains { ["tw", "hk", "mo"].contains($0) }
    return ["zh", isTraditional ? "hant" : "hans"] + parts.dropFirst()
  }

  private static func script(of parts: [String]) -> String? {
    parts.dropFirst().first { $0.utf8.count == 4 && $0.utf8.allSatisfy { (0x61...0x7a).contains($0) } }
  }

  /// A parsed language list, for lookups in many texts.
  package struct Languages: Sendable, Equatable {
    fileprivate struct Tag: Sendable, Equatable {
      let forms: [String]
      let language: String
      let script: String?

      init?(_ text: String) {
        let parts = Array(LocalizedText.parts(text).prefix(while: { $0.utf8.count <= LocalizedText.partBytes }))
        guard let first = parts.first else { return nil }
        let scripted = LocalizedText.withScript(parts)
        forms = LocalizedText.shortened(parts) + (scripted == parts ? [] : LocalizedText.shortened(scripted)) + [first]
        language = first
        script = LocalizedText.script(of: scripted)
      }
    }

    fileprivate let tags: [Tag]

    /// - Parameter list: language tags, the best first, separated by commas; nil: none.
    package init(_ list: String?) {
      let texts = (list ?? "").prefix(LocalizedText.listLimit).lowercased().split(separator: ",").prefix(
        LocalizedText.languageLimit)
      tags = texts.compactMap { Tag(String($0)) }
    }
  }

  /// A text prepared for lookups. Built once, because every list of prompts looks up texts of many
  /// apps, and an app may have any number of tags.
  final class Index: Sendable {
    /// The tags of one language: the first in order for each script.
    private struct Related {
      let first: String
      private(set) var withoutScript: String?
      private(set) var byScript: [String: String] = [:]

      init(first: String) { self.first = first }

      mutating func note(_ tag: String, in script: String?) {
        if let script {
          if byScript[script] == nil { byScript[script] = tag }
        } else if withoutScript == nil {
          withoutScript = tag
        }
      }

      /// The first tag in this script or without a script.
      func tag(in script: String?) -> String? {
        guard let script else { return first }
        return [withoutScript, byScript[script]].compactMap { $0 }.min()
      }
    }

    /// By tag, without blank texts.
    private let texts: [String: String]
    private let related: [String: Related]
    /// Nil if it is blank.
    let defaultText: String?

    fileprivate init(_ text: LocalizedText) {
      texts = text.translations.filter { !$0.value.isBlank }
      defaultText = text.defaultText.flatMap { $0.isBlank ? nil : $0 }
      var related: [String: Related] = [:]
      for tag in texts.keys.sorted() {
        let parts = LocalizedText.parts(tag)
        guard let language = parts.first else { continue }
        related[language, default: Related(first: tag)].note(
          tag, in: LocalizedText.script(of: LocalizedText.withScript(parts)))
      }
      self.related = related
    }

    fileprivate func match(_ wanted: Languages.Tag) -> (tag: String, text: String)? {
      // All forms of a tag have its language.
      guard let known = related[wanted.language] else { return nil }
      for form in wanted.forms { if let text = texts[form] { return (form, text) } }
      guard let tag = known.tag(in: wanted.script), let text = texts[tag] else { return nil }
      return (tag, text)
    }
  }

  /// Builds the index on first use, on any thread.
  private final class KeptIndex: Sendable {
    private let made = Mutex<Index?>(nil)

    func index(of text: LocalizedText) -> Index {
      made.withLock { made in
        if let made { return made }
        let index = Index(text)
        made = index
        return index
      }
    }
  }
}
