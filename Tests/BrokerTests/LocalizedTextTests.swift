import Limits
import Testing

@testable import Broker

@Suite struct LocalizedTextTests {
  private let text = LocalizedText(
    defaultText: "Why",
    translations: [
      "de": "Warum", "zh-hant": "為何", "zh": "为何", "fr": " \u{200B}", "pt-br": "Por quê", "sr-cyrl": "Зашто",
    ])

  @Test(arguments: [
    ("de", "Warum"), ("de-AT", "Warum"), ("de_CH", "Warum"), ("zh-Hant-TW", "為何"), ("zh-Hans-CN", "为何"),
    ("pt-BR", "Por quê"),
    ("pt", "Por quê"), ("pt-PT", "Por quê"),
    ("zh-TW", "為何"), ("zh_HK", "為何"), ("zh-CN", "为何"), ("it, pt-PT", "Por quê"), ("sr-RS", "Зашто"),
    ("sr-Latn-RS", "Why"),
    ("fr-CA", "Why"),
    ("fr, de", "Warum"), ("it,fr-CH,zh", "为何"), ("", "Why"), (",,-,_", "Why"), ("d", "Why"),
    (String(repeating: "x,", count: 8) + "de", "Why"), ("de" + String(repeating: "-x", count: 300), "Warum"),
  ])
  func `R29 a tag is looked up whole, then shortened part by part, and a blank translation counts as none`(
    languages: String, shown: String
  ) {
    #expect(text.text(for: languages) == shown)
  }

  @Test func `R29 Chinese in another script is another language for readers of one script`() {
    let text = LocalizedText(defaultText: "Why", translations: ["zh-hant": "為何"])
    #expect(text.text(for: "zh-CN") == "Why" && text.text(for: "zh-Hans") == "Why" && text.text(for: "zh") == "Why")
    #expect(text.text(for: "zh-MO") == "為何" && text.text(for: "zh-Hant-HK") == "為何")
  }

  @Test func `R29 a blank default counts as none`() {
    #expect(LocalizedText(defaultText: " ", translations: ["de": "Warum"]).text(for: nil) == nil)
    #expect(LocalizedText(defaultText: " ", translations: ["de": "Warum"]).text(for: "de") == "Warum")
  }

  @Test(arguments: [
    (String(repeating: "x", count: 33), "Why"), ("de-" + String(repeating: "x", count: 33), "Warum"),
    ("de-" + String(repeating: "x", count: 33) + "-br", "Warum"), (String(repeating: ",", count: 5_000) + "de", "Why"),
    (String(repeating: "x", count: 10_000) + ",de", "Why"),
  ])
  func `R29 an invalid tag is not looked up`(languages: String, shown: String) {
    #expect(text.text(for: languages) == shown)
  }

  @Test func `R29 copies are looked up in one index until one of them changes`() {
    var other = text
    #expect(other.index === text.index && other.text(for: "de") == "Warum")
    other.translations["de-at"] = "Wieso"
    #expect(other.index !== text.index && other != text)
    #expect(other.text(for: "de-AT") == "Wieso" && text.text(for: "de-AT") == "Warum")
    let index = other.index
    other.defaultText = "What for"
    #expect(other.index !== index && other.text(for: nil) == "What for" && text.text(for: nil) == "Why")
    #expect(LocalizedText(defaultText: "Why", translations: text.translations) == text, "whatever was looked up in it")
  }

  @Test func `R29 a parsed list of languages finds the same in every text`() {
    let languages = LocalizedText.Languages("it, pt-PT")
    #expect(text.text(for: languages) == text.text(for: "it, pt-PT"))
    #expect(LocalizedText(defaultText: "Why", translations: ["it": "Perché"]).text(for: languages) == "Perché")
    #expect(languages == LocalizedText.Languages("it,pt_pt") && languages != LocalizedText.Languages("it"))
  }

  /// The same lookup without an index: all tags in order of preference, searched among all texts.
  private struct Model {
    let text: LocalizedText

    func parts(_ tag: String) -> [String] { tag.split { "-_ ".contains($0) }.map { String($0) } }

    func script(_ parts: [String]) -> String? {
      let scripts = ["hant", "hans", "latn", "cyrl"]
      if let said = parts.dropFirst().first(where: scripts.contains) { return said }
      guard parts.first == "zh" else { return nil }
      return parts.contains("tw") || parts.contains("hk") ? "hant" : "hans"
    }

    func shortened(_ parts: [String]) -> [String] {
      stride(from: parts.count, to: 1, by: -1).map { parts.prefix($0).joined(separator: "-") }
    }

    func shown(_ tag: String) -> String? {
      let parts = parts(tag)
      let isSaid = parts.contains("hant") || parts.contains("hans")
      let full = parts.first == "zh" && !isSaid ? ["zh", script(parts) ?? ""] + parts.dropFirst() : parts
      let related = text.translations.keys.sorted().filter { known in
        let (ours, theirs) = (script(parts), script(self.parts(known)))
        return self.parts(known).first == parts.first && (ours == nil || theirs == nil || ours == theirs)
      }
      let texts = (shortened(parts) + shortened(full) + [parts[0]] + related).compactMap { text.translations[$0] }
      return texts.first { !$0.isBlank } ?? text.defaultText
    }
  }

  @Test func `R29 the index finds the same as a search of all tags`() {
    let tags = [
      "de", "de-at", "de_at", "de-latn", "de-cyrl-ch", "pt-br", "pt-pt", "zh", "zh-tw", "zh_hk", "zh-hans", "zh-hant",
      "zh-hant-tw",
      "zh-cn",
    ]
    for (place, first) in tags.enumerated() {
      for second in tags[place...] {
        for isBlank in [false, true] {
          var text = LocalizedText(defaultText: "Why", translations: [second: second])
          text.translations[first] = isBlank ? " " : first
          let model = Model(text: text)
          for tag in tags + ["it", "pt", "zh-hans-tw"] where text.text(for: tag) != model.shown(tag) {
            Issue.record(
              "\(tag) of \(text.translations): \(text.text(for: tag) ?? "none"), not \(model.shown(tag) ?? "none")")
          }
        }
      }
    }
  }
}
