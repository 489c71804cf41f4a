import BrokerInterface
import Limits

enum SelectorWords {
  /// The conditions of a live selection, with its album's title; nil: the album is deleted.
  static func words(_ selector: Admin.Selector, albumTitle: String?) -> String {
    var selector = selector
    // In quotation marks that the title cannot end, because an app may have chosen it.
    let shown = albumTitle.map { "“\($0.replacing("”", with: "\""))”" }
    if selector.album != nil { selector.album = shown ?? "(deleted)" }
    return words(selector)
  }

  static func words(_ selector: Admin.Selector) -> String {
    let parts: [String?] = [
      selector.all == true ? "everything" : nil,
      selector.identifiers.map { Amount.count($0.count, "named asset") },
      selector.mediaType.map { "\($0)s" },
      selector.glob.map { "in \($0)" },
      selector.album.map { "of album \($0)" },
      selector.filename.map { "named \($0)" },
      selector.createdFrom.map { "from \(Words.moment($0)) on" },
      selector.createdBefore.map { "before \(Words.moment($0))" },
      selector.favorite.map { $0 ? "favourites" : "no favourites" },
      selector.hidden.map { $0 ? "hidden" : "not hidden" },
      selector.neverShare.map { $0 ? "never shared" : "shareable" },
      selector.last.map { "the last \($0)" },
    ]
    return parts.compactMap { $0 }.joined(separator: ", ")
  }
}
