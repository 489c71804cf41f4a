/// Finds the photo of a JSON sidecar of Google Takeout by its name: `IMG_1.jpg.json`,
/// `IMG_1.jpg.supplemental-metadata.json`, and `IMG_1.jpg(1).json` for `IMG_1(1).jpg`. Google cuts
/// all but `.json` and the number after 46 characters.
struct TakeoutNames {
  private static let cutCharacters = 46
  private static let mark = ".supplemental-metadata"

  /// A name in lower case, and the number of a duplicate apart from it.
  private struct Title: Hashable {
    var text: String
    var counter: String
  }

  private var indices: [Title: Int] = [:]
  private var sorted: [(title: Title, index: Int)] = []

  static func isSidecar(_ name: String) -> Bool { FileKind.ending(name) == "json" }

  init(_ photos: some Sequence<(index: Int, name: String)>) {
    for (index, name) in photos {
      let lower = name.lowercased()
      let stem = lower[..<(lower.lastIndex(of: ".") ?? lower.endIndex)]
      let plain = stem.withoutCounter ?? stem
      let title = Title(text: String(plain + lower[stem.endIndex...]), counter: String(stem[plain.endIndex...]))
      sorted.append((title, index))
      // A title may have no extension, and its photo gets one. It may also end in a number itself.
      let others = [Title(text: String(plain), counter: title.counter), Title(text: lower, counter: "")]
      for title in [title] + others where indices[title] == nil {
        indices[title] = index
      }
    }
    sorted.sort { ($0.title.text, $0.index) < ($1.title.text, $1.index) }
  }

  /// The index of the photo; nil: there is none, or several are possible.
  func owner(of name: String) -> Int? {
    let whole = name.lowercased().dropLast(5)
    let base = whole.withoutCounter ?? whole
    let counter = String(whole[base.endIndex...])
    let unmarked = base.lastIndex(of: ".").flatMap { Self.mark.hasPrefix(base[$0...]) ? base[..<$0] : nil }
    for text in [unmarked, base].compactMap({ $0 }) {
      if let index = indices[Title(text: String(text), counter: counter)] { return index }
      guard base.count >= Self.cutCharacters else { continue }
      let found = photos(startingWith: text).filter { $0.title.counter == counter }
      if !found.isEmpty { return found.count == 1 ? found.first?.index : nil }
    }
    return nil
  }

  private func photos(startingWith text: Substring) -> some Collection<(title: Title, index: Int)> {
    var (low, high) = (sorted.startIndex, sorted.endIndex)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle].title.text < text { low = middle + 1 } else { high = middle }
    }
    // More are ambiguous anyway.
    return sorted[low...].prefix(64).prefix { $0.title.text.hasPrefix(text) }
  }
}
