import Limits
import Synchronization

/// A text in several languages with a default (R29).
package struct LocalizedText: Sendable, Equatable {
  /// Used where no better language is there. Nil: the manifest lacks it.
  package var defaultText: String? { didSet { kept = KeptIndex() } }
  /// By language tag, lower case: `de`, `pt-br`.
  package var translations: [String: String] { didSet { kept = KeptIndex() } }
  /// Shared by all copies, until one of them says something else.
  private var kept = KeptIndex()

  package init(defaultText: String?, translations: [String: String] = [:]) {
    self.defaultText = defaultText
    self.translations = translations
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.defaultText == right.defaultText && left.translations == right.translations
  }

  /// How much of a list of languages is looked at, in characters.
  private static let listLimit = 4_096
  /// How many languages of a list are looked at.
  private static let languageLimit = 8
  /// How many parts of a tag are looked at.
  private static let partLimit = 8
  /// How long a part of a tag in a list may be; none that means anything has more than eight. With
  /// a longer one the tag ends: else every text would be searched for as much as one message holds.
  private static let partBytes = 32

  /// The text for a list of language tags, the best first, with commas between them: of each tag
  /// itself, then of what is left as its parts go from the end (RFC 4647, lookup: `zh-hant-tw`,
  /// `zh-hant`, `zh`), where `zh-tw` is `zh-hant-tw`; then of the same language elsewhere in the
  /// same script (`pt-br` for `pt-pt`); the default where none of them has one. A blank text counts
  /// as none. Nil where the default is blank too.
  package func text(for languages: String?) -> String? { text(for: Languages(languages)) }

  /// The same for a list that many texts are looked up in.
  package func text(for languages: Languages) -> String? { match(for: languages)?.text }

  /// The same text, and which language it was found under; nil for that of the default.
  func match(for languages: String?) -> (language: String?, text: String)? { match(for: Languages(languages)) }

  private func match(for languages: Languages) -> (language: String?, text: String)? {
    let index = index
    for tag in languages.tags { if let found = index.match(tag) { return (found.tag, found.text) } }
    guard let text = index.defaultText else { return nil }
    return (nil, text)
  }

  /// Whether there is a text for whoever reads no other language; nothing is looked up for that.
  var hasDefault: Bool { defaultText.map { !$0.isBlank } ?? false }

  /// What it is looked up in.
  var index: Index { kept.index(of: self) }

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

  /// What somebody reads, taken apart once for all texts that are looked up.
  package struct Languages: Sendable, Equatable {
    fileprivate struct Tag: Sendable, Equatable {
      /// What it is looked up as, the best first.
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

    /// - Parameter list: Language tags, the best first, with commas between them; nil: none.
    package init(_ list: String?) {
      let texts = (list ?? "").prefix(LocalizedText.listLimit).lowercased().split(separator: ",").prefix(
        LocalizedText.languageLimit)
      tags = texts.compactMap { Tag(String($0)) }
    }
  }

  /// A text as it is looked up: made once, since every list of questions looks up texts of many
  /// apps, each of which has as many tags as it likes.
  final class Index: Sendable {
    /// Tags of one language. Of each kind the first in order is the one that counts.
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

      /// The first one that is in no other script.
      func tag(in script: String?) -> String? {
        guard let script else { return first }
        return [withoutScript, byScript[script]].compactMap { $0 }.min()
      }
    }

    /// By tag, but for blank ones.
    private let texts: [String: String]
    private let related: [String: Related]
    /// Nil where it is blank.
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
      // Whatever it is looked up as is of its language.
      guard let known = related[wanted.language] else { return nil }
      for form in wanted.forms { if let text = texts[form] { return (form, text) } }
      guard let tag = known.tag(in: wanted.script), let text = texts[tag] else { return nil }
      return (tag, text)
    }
  }

  /// An index that is made where it is first needed, on whichever thread.
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
