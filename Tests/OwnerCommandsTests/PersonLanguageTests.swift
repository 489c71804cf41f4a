import Testing

@testable import OwnerCommands

@Suite struct PersonLanguageTests {
  @Test(
    arguments: [
      (["LANG": "de_DE.UTF-8"], "de-DE"), (["LANG": "de_DE@euro"], "de-DE"), (["LANG": "de"], "de"),
      (["LANG": "C.UTF-8"], nil),
      (["LANG": "POSIX"], nil), (["LANG": ""], nil), ([:], nil),
      (["LANG": "de_DE.UTF-8", "LC_ALL": "pt_BR.UTF-8"], "pt-BR"),
      (["LANG": "de_DE.UTF-8", "LC_MESSAGES": "C", "LC_ALL": ""], nil),
      (["LANG": "de_DE.UTF-8", "LC_TIME": "fr_FR.UTF-8"], "de-DE"),
    ] as [([String: String], String?)])
  func `the person's language is the locale's`(environment: [String: String], tag: String?) {
    #expect(PersonLanguage.tag(environment) == tag)
  }

  @Test(arguments: [([], "de-DE"), (["--language", "fr"], "fr")] as [([String], String)])
  func `apps' words are requested in the person's language unless another is named`(options: [String], language: String)
    throws
  {
    let folder = try ScratchFolder()
    let broker = try ScriptedBroker(in: folder, Samples.script)
    defer { broker.stop() }
    for command in ["list", "wait"] {
      let words = ["--socket", broker.path, "request", command] + options
      #expect(CommandLineTool.run(words, environment: ["LANG": "de_DE.UTF-8"], console: RecordedConsole()) == 0)
    }
    #expect(broker.calls("ListPrompts") == Array(repeating: #"{"language":"\#(language)"}"#, count: 2))
    // The answer records the language in which the texts were shown.
    let words = ["--socket", broker.path, "request", "answer", "p1", "allow"] + options
    #expect(CommandLineTool.run(words, environment: ["LANG": "de_DE.UTF-8"], console: RecordedConsole()) == 0)
    #expect(broker.calls("AnswerPrompt") == [#"{"prompt":"p1","answer":"allow","language":"\#(language)"}"#])
  }
}
