import Broker
import Testing

@Suite struct LocalizedTextTests {
  private let text = LocalizedText(
    defaultText: "Why",
    translations: ["de": "Warum", "zh-hant": "為何", "zh": "为何", "fr": " \u{200B}", "pt-br": "Por quê", "sr-cyrl": "Зашто"])

  @Test(arguments: [
    ("de", "Warum"), ("de-AT", "Warum"), ("de_CH", "Warum"), ("zh-Hant-TW", "為何"), ("zh-Hans-CN", "为何"), ("pt-BR", "Por quê"),
    ("pt", "Por quê"), ("pt-PT", "Por quê"),
    ("zh-TW", "為何"), ("zh_HK", "為何"), ("zh-CN", "为何"), ("it, pt-PT", "Por quê"), ("sr-RS", "Зашто"), ("sr-Latn-RS", "Why"),
    ("fr-CA", "Why"),
    ("fr, de", "Warum"), ("it,fr-CH,zh", "为何"), ("", "Why"), (",,-,_", "Why"), ("d", "Why"),
    (String(repeating: "x,", count: 8) + "de", "Why"), ("de" + String(repeating: "-x", count: 300), "Warum"),
  ])
  func `R29 a tag is looked up whole, then shortened part by part, and a blank translation is none`(languages: String, shown: String) {
    #expect(text.text(for: languages) == shown)
  }

  @Test func `R29 Chinese in the other script is another language to who reads one of them`() {
    let text = LocalizedText(defaultText: "Why", translations: ["zh-hant": "為何"])
    #expect(text.text(for: "zh-CN") == "Why" && text.text(for: "zh-Hans") == "Why" && text.text(for: "zh") == "Why")
    #expect(text.text(for: "zh-MO") == "為何" && text.text(for: "zh-Hant-HK") == "為何")
  }

  @Test func `R29 a blank default is none`() {
    #expect(LocalizedText(defaultText: " ", translations: ["de": "Warum"]).text(for: nil) == nil)
    #expect(LocalizedText(defaultText: " ", translations: ["de": "Warum"]).text(for: "de") == "Warum")
  }
}
