import Varlink

struct WaitQuestion {
  /// The known version; 0 for none, which is answered at once.
  var version = 0
  /// Languages of manifest texts as BCP 47 tags, best first, separated by commas.
  var language = "en"
  /// Whether to answer at once: the page polls.
  var isHasty = false

  /// - Throws: `badRequest`.
  init(_ asked: JSONObject) throws(PageError) {
    for entry in asked.entries {
      switch (entry.key, entry.value) {
      case ("version", .integer(let number)) where number >= 0: version = Int(clamping: number)
      case ("language", .string(let text)) where Self.areLanguages(text): language = text
      case ("isHasty", .bool(let isTrue)): isHasty = isTrue
      case ("version", _): throw Self.mistake("version", "a number from 0 on, from the previous answer")
      case ("language", _): throw Self.mistake("language", "languages such as de or pt-BR,de")
      case ("isHasty", _): throw Self.mistake("isHasty", "true or false")
      default: throw PageError(.badRequest, "There is no such field. The fields are version, language and isHasty.")
      }
    }
  }

  /// At most 8 tags, as in `ListPrompts`.
  private static func areLanguages(_ text: String) -> Bool {
    let tags = text.utf8.split(separator: UInt8(ascii: ","), maxSplits: 8, omittingEmptySubsequences: false)
    return tags.count <= 8 && tags.allSatisfy(isLanguage)
  }

  private static func isLanguage(_ tag: Substring.UTF8View) -> Bool {
    (1...35).contains(tag.count)
      && tag.allSatisfy {
        (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == UInt8(ascii: "-")
      }
  }

  private static func mistake(_ field: String, _ takes: String) -> PageError {
    PageError(.badRequest, "\(field) takes \(takes).")
  }
}
