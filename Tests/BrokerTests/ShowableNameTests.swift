import Broker
import Testing

/// Rules for app names.
@Suite struct ShowableNameTests {
  private func refusal(of name: String) -> BrokerError.Code? {
    let reason = LocalizedText(defaultText: nil)
    return code {
      try ManifestRules.check(
        Manifest(
          identifier: "org.example.app", displayName: name, hasScreen: true, usageDescription: reason,
          addUsageDescription: reason,
          preventsAutomaticLimitedAccessAlert: false))
    }
  }

  @Test(arguments: [
    "Photos", "Fotoğraf", "Ha\u{308}user", "Vie\u{302}\u{323}t Nam", "Фото", "Ελλάδα", "写真", "葛\u{e0100}城", "사진",
    "ภาพถ่าย",
    // Arabic and Persian, Sinhala, Devanagari, Bengali, Tamil, Burmese, Tibetan, Khmer, Hebrew,
    // Mongolian, Javanese, Adlam.
    "صور", "عکس\u{200c}های من", "ශ්\u{200d}රී ලංකා", "क्\u{200d}षण", "র\u{200d}্যাব", "புகைப்படம்", "လျှို့ဝှက်", "ཧཱུྃ", "រូបថត", "שָׁלוֹם",
    "ᠰᠠᠷ\u{180e}ᠠ", "ᠮᠣᠩ\u{180b}ᠭᠣᠯ", "ꦗꦮ", "𞤀𞤣𞤤𞤢𞤥", "📷 Fotos", "❤\u{fe0f} Photos", "©\u{fe0e}",
    "1\u{fe0f}\u{20e3} Photo",
    "👨\u{200d}👩\u{200d}👧 Album", "👩🏽\u{200d}🚀", "🏳\u{fe0f}\u{200d}🌈", "PhotoBroker Demo", "Broker",
  ])
  func `R120 a name in any script is accepted`(name: String) { #expect(refusal(of: name) == nil) }

  @Test(arguments: [
    "Pho\u{ad}to", "Pho\u{34f}to", "Pho\u{180e}to", "Pho\u{180b}to", "Pho\u{200c}to", "Pho\u{200d}to", "\u{200d}",
    "Pho\u{3164}to",
    "Pho\u{115f}to", "Pho\u{17b4}to", "Photo\u{fe0f}", "Photo 1\u{fe0f}", "❤\u{fe0f}\u{fe0f}", "写\u{e0100}\u{e0101}",
    "Photo\u{e0100}",
    "A\(String(repeating: "\u{fe0f}", count: 30))", "\u{fffc} Photos", "عکس\u{200c}", "عکس\u{200c}\u{200c}ها",
    "📷\u{200d}", "📷\u{200d}a",
    "A\u{301}\u{301}\u{301}\u{301}\u{301}", "A\(String(repeating: "\u{301}", count: 60))",
  ])
  func `R120 a name with invisible characters is refused`(name: String) {
    #expect(refusal(of: name) == .refused)
  }

  @Test(arguments: ["PhotoBroker", "photo broker", " PHOTOBROKER ", "Photo-Broker", "PhotoBroker!"])
  func `R120 no app takes the broker's own name`(name: String) { #expect(refusal(of: name) == .refused) }
}
