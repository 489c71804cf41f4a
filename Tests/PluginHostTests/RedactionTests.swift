import Monitor
import Supervisor
import Testing

@testable import PluginHost

/// Plugins' texts reach owners and logs without credentials.
struct RedactionTests {
  private let settings = PluginSettings(secrets: ["password": "correct horse battery staple"])

  @Test(arguments: [
    ("The password correct horse battery staple is wrong.", "The password [secret] is wrong."),
    ("correct horse battery staplecorrect horse battery staple!", "[secret]!"),
    // A text cut off at a limit may end inside the secret, which must not show either.
    ("The password is correct horse bat", "The password is [secret]"),
    ("The password is corr", "The password is [secret]"),
    ("The password is cor", "The password is cor"),
    ("correct horse, said she", "correct horse, said she"),
  ]) func `a secret is replaced, even at the end of a text`(_ said: String, _ shown: String) {
    #expect(settings.redacted(said) == shown)
  }

  @Test
  func `overlapping, multiline, multibyte and unprintable secrets are replaced`() {
    let several = PluginSettings(secrets: [
      "a": "abcdefgh", "b": "efghijkl", "c": "first line\nkey = pässwörd-süß", "d": "tab\there",
    ])
    #expect(several.redacted("x abcdefghijkl y") == "x [secret] y")
    #expect(several.redacted("it says first line here") == "it says [secret] here")
    #expect(several.redacted("it says pässwörd-süß") == "it says [secret]")
    #expect(several.redacted("it says pässw\u{FFFD}") == "it says [secret]", "the last letter was cut in two")
    #expect(several.redacted(IsolatedPlugin.plain("so tab\there!")) == "so [secret]!")
  }

  @Test func `a configuration's subject is no secret, and all else in it is`() {
    let text = "[far]\ntype = google cloud storage\nanonymous = nobody\npass= type = swordfish"
    let configured = PluginSettings(secrets: ["configuration": text])
    #expect(configured.redacted("for the type \"google cloud storage\"") == "for the type \"google cloud storage\"")
    #expect(configured.redacted("nobody, type = swordfish") == "[secret], [secret]")
    #expect(configured.redacted("it has \(text)!") == "it has [secret]!")
  }

  @Test
  func
    `each member of a secret in JSON is replaced, in a line or as a whole, escaped or not`()
  {
    let line = #"token = {"access_token":"hunter2-is-it","expiry":"2026-11-26","pin":483920,"n":{"x":["in a list"]}}"#
    let account = #"{"type": "service_account", "private_key": "-----BEGIN KEY-----\nMIIE+abc\/d\n\u00e9nd-of-it"}"#
    let secrets = PluginSettings(secrets: [
      "configuration": "[far]\n" + line, "account": account, "nested": #"{"a": "{\"b\": \"deep one\"}"}"#,
    ])
    for (said, shown) in [
      ("hunter2-is-it is refused", "[secret] is refused"), ("the pin 483920", "the pin [secret]"),
      ("in a list!", "[secret]!"),
      ("it has MIIE+abc/d there", "it has [secret] there"), ("énd-of-it", "[secret]"), ("a deep one.", "a [secret]."),
      ("access_token is missing", "access_token is missing"), ("no service_account", "no service_account"),
    ] {
      #expect(secrets.redacted(said) == shown)
    }
  }

  @Test func `a long secret cut by a line's limit appears in no journal`() throws {
    let secret = (0..<150).map { "k\(1_000 + $0)" }.joined()
    let journal = PluginJournal()
    var options = ChildOptions(
      path: "/usr/bin/python3", arguments: ["-c", "import sys; print('x' * 700 + '\(secret)', file=sys.stderr)"])
    let settings = PluginSettings(secrets: ["key": secret])
    options.journal = RedactedJournal(journal, settings)
    let child = try ChildProcess.start(options)
    #expect(child.waitForExit(until: .after(.seconds(20))) == .exited(0))
    #expect(
      settings.redacted(IsolatedPlugin.plain(child.errorLines.last ?? "", limit: 900)) == String(
        repeating: "x", count: 700) + "[secret]")
    let line = journal.newest(500).entries.first { $0.kind == .line }
    #expect(line?.text == String(repeating: "x", count: 700) + "[secret]")
  }
}
