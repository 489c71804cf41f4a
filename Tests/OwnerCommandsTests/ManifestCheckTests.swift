import Testing
import Varlink

@testable import OwnerCommands

@Suite struct ManifestCheckTests {
  static let good =
    #"{"identifier":"org.example.journal","name":"Journal","NSPhotoLibraryUsageDescription":"Shows the photos that you choose.","PHPhotoLibraryPreventAutomaticLimitedAccessAlert":true,"localizations":{"de":{"NSPhotoLibraryUsageDescription":"Zeigt, was du wählst."}}}"#

  private func check(_ json: String) throws -> ManifestCheck {
    ManifestCheck(try ManifestFile.parse(Array(json.utf8), name: "manifest"))
  }

  @Test func `R120 a good manifest passes, with advice on all four steps`() throws {
    let check = try check(Self.good)
    #expect(check.hasPassed)
    #expect(!check.findings.contains { $0.severity == .warning })
    for step in [Finding.Step.need, .status, .affordance, .suppressionKey] {
      #expect(check.findings.contains { $0.step == step && $0.severity != .error })
    }
    #expect(check.findings.contains { $0.step == .need && $0.message.contains("picker") })
    #expect(check.findings.contains { $0.step == .status && $0.message.contains("not at start") })
  }

  @Test(arguments: [
    (#"{"name":"x"}"#, "identifier is missing"), (#"{"identifier":"a b","name":"x"}"#, "identifier must have"),
    (#"{"identifier":1,"name":"x"}"#, "identifier must be text"), (#"{"identifier":"a","name":" "}"#, "name is blank"),
    (#"{"identifier":"a","name":"x\u202ey"}"#, "direction or hidden characters"),
    (#"{"identifier":"a","name":"Pho\u00adto"}"#, "direction or hidden characters"),
    (#"{"identifier":"a","name":"Photo Broker"}"#, "the broker's own"),
    (#"{"identifier":"a","name":"x","hasScreen":"no"}"#, "true or false"),
    (#"{"identifier":"a","name":"x","NSPhotoLibraryUsageDescription":" \u200b\n"}"#, "blank"),
    (#"{"identifier":"a","name":"x","NSPhotoLibraryUsageDescription":""}"#, "counts as missing"),
    (#"{"identifier":"a","name":"x","NSPhotoLibraryAddUsageDescription":3}"#, "must be text"),
    (#"{"identifier":"a","name":"x","PHPhotoLibraryPreventAutomaticLimitedAccessAlert":"true"}"#, "true or false"),
    (#"{"identifier":"a","name":"x","localizations":["de"]}"#, "localizations must be an object"),
    (#"{"identifier":"a","name":"x","localizations":{"german!":{}}}"#, "a tag such as de"),
    (
      #"{"identifier":"a","name":"x","localizations":{"de":{"NSPhotoLibraryUsageDescription":"Warum"}}}"#,
      "default text"
    ),
    (
      #"{"identifier":"a","name":"x","NSPhotoLibraryUsageDescription":"y","localizations":{"de":{"NSPhotoLibraryUsageDescription":7}}}"#,
      "localizations.de"
    ),
  ])
  func `R120 a bad manifest is refused with the reason`(json: String, reason: String) throws {
    let check = try check(json)
    #expect(!check.hasPassed)
    #expect(check.findings.contains { $0.severity == .error && $0.message.contains(reason) })
  }

  @Test func `R120 a property list's own keys name app and purpose, and an invisible purpose counts as none`() throws {
    func list(_ purpose: String) -> String {
      """
      <?xml version="1.0"?><plist version="1.0"><dict><key>CFBundleIdentifier</key><string>org.example.journal</string>
      <key>CFBundleDisplayName</key><string>Journal</string><key>NSPhotoLibraryUsageDescription</key><string>\(purpose)</string></dict></plist>
      """
    }
    let good = try check(list("Shows your photos."))
    #expect(good.hasPassed && good.findings.contains { $0.message == "identifier is org.example.journal." })
    for purpose in ["&#x200B;", "\u{2060}\u{feff}", " &#xAD; "] {
      #expect(
        try check(list(purpose)).findings.contains { $0.severity == .error && $0.message.contains("counts as missing") }
      )
    }
  }

  @Test(arguments: [
    (#"{"identifier":"a","name":"x"}"#, "picker only"),
    (
      #"{"identifier":"a","name":"x","NSPhotoLibraryUsageDescripton":"y"}"#,
      "Did you mean NSPhotoLibraryUsageDescription?"
    ),
    (
      #"{"identifier":"a","name":"x","NSPhotoLibraryUsageDescription":"y","localizations":{"de":{}}}"#,
      "see the default text"
    ),
    (
      #"{"identifier":"a","name":"x","NSPhotoLibraryUsageDescription":"y","localizations":{"de":{"NSPhotoLibraryUsageDescription":" "}}}"#,
      "is blank"
    ),
  ])
  func `R120 a surprising value causes a warning`(json: String, reason: String) throws {
    let check = try check(json)
    #expect(check.hasPassed)
    #expect(check.findings.contains { $0.severity == .warning && $0.message.contains(reason) })
  }

  @Test func `R29 R120 Apple's names are accepted, and the default's language can be stated`() throws {
    func said(_ json: String) throws -> String { try check(json).findings.map(\.message).joined(separator: "\n") }
    let list = #""identifier":"a","CFBundleName":"x","NSPhotoLibraryUsageDescription":"y""#
    #expect(try !said("{\(list)}").contains("CFBundleName"))
    #expect(try said(#"{"identifier":"a"}"#).contains("CFBundleDisplayName and CFBundleName"))
    let german = #""de":{"NSPhotoLibraryUsageDescription":"z"}"#
    #expect(try said("{\(list),\"localizations\":{\(german)}}").contains("by CFBundleDevelopmentRegion or"))
    #expect(
      try !said("{\(list),\"CFBundleDevelopmentRegion\":\"en\",\"localizations\":{\(german)}}").contains("Region"))
    let english = #""en":{"NSPhotoLibraryUsageDescription":"y"}"#
    #expect(try !said("{\(list),\"localizations\":{\(english),\(german)}}").contains("Region"))
    #expect(try said("{\(list),\"CFBundleDevelopmentRegion\":\"English\"}").contains("not a language tag"))
  }

  @Test func `a property list and JSON say the same`() throws {
    let list = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0"><dict>
        <!-- who --> <key>identifier</key><string>org.example.journal</string><key>name</key><string>Journal</string>
        <key>NSPhotoLibraryUsageDescription</key><string>Shows the photos that you choose.</string>
        <key>PHPhotoLibraryPreventAutomaticLimitedAccessAlert</key><true/>
        <key>localizations</key><dict><key>de</key><dict><key>NSPhotoLibraryUsageDescription</key>
        <string>Zeigt, was du w&#xe4;hlst.</string></dict></dict>
      </dict></plist>
      """
    #expect(try ManifestFile.parse(Array(list.utf8), name: "m") == ManifestFile.parse(Array(Self.good.utf8), name: "m"))
  }

  @Test func `property list text may be in plain sections and beside comments`() throws {
    let list = "<plist><dict><key>a</key><string>x<![CDATA[<b> &amp; ]]]]>&gt;<!-- <c> -->y</string></dict></plist>"
    #expect(try ManifestFile.parse(Array(list.utf8), name: "m")["a"] == .string("x<b> &amp; ]]>y"))
  }

  @Test func `a binary property list gets advice on converting it`() throws {
    let error = try #require(throws: CommandError.self) { try ManifestFile.parse(Array("bplist00".utf8), name: "m") }
    #expect(error.message.contains("plutil"))
  }

  @Test func `R120 null counts as an absent key, as in the broker`() throws {
    let nulls =
      #"{"identifier":"a","name":null,"hasScreen":null,"NSPhotoLibraryUsageDescription":"y","localizations":{"de":{"NSPhotoLibraryUsageDescription":null}}}"#
    let absent = #"{"identifier":"a","NSPhotoLibraryUsageDescription":"y","localizations":{"de":{}}}"#
    #expect(try check(nulls).findings == check(absent).findings)
    #expect(try !check(#"{"identifier":"a","name":"x","localizations":{"de":null}}"#).hasPassed)
  }

  @Test(arguments: [
    "\u{200D}", "\u{AD}", "\u{3164}", "\u{2800}", "\u{115F}", "\u{180E}", "\u{FE0F}", "\u{34F}", "\u{E000}", "\u{3000}",
  ])
  func `R120 invisible text is blank and harmless beside other text`(hidden: String) throws {
    let text = #"{"identifier":"a","name":"x","NSPhotoLibraryUsageDescription":""#
    #expect(try !check(text + hidden + "\"}").hasPassed)
    #expect(try check(text + "a\(hidden)b\"}").hasPassed)
  }

  @Test(arguments: [
    "<plist><dict><key>a</key><string><![CDATA[x</string></dict></plist>", "bplist00",
    "", "{", "[]", #"{"a":1,"a":2}"#, "<plist>", "<plist><dict>", "<plist><array/></plist>",
    "<plist><dict><key>a</key></dict></plist>",
    "<plist><dict><key>a</key><string>&lol;</string></dict></plist>",
    "<plist><dict><key>a</key><string>&</string></dict></plist>",
    "<plist><dict><string>a</string></dict></plist>",
    "<plist><dict><key>a</key><true/><key>a</key><true/></dict></plist>",
    "<plist><dict><key>a</key><integer>x</integer></dict></plist>", "<plist><dict><key>a</key><string>b</dict></plist>",
    "<", "<!--",
    "<plist><dict><key>a</key><string>&#xD800;</string></dict></plist>",
  ])
  func `an invalid manifest is refused with the position`(text: String) {
    #expect(throws: CommandError(.badData, "")) { try ManifestFile.parse(Array(text.utf8), name: "m") }
  }

  @Test func `an overly nested property list is refused`() {
    let deep = "<plist><dict><key>a</key>" + String(repeating: "<array>", count: 100_000)
    #expect(throws: CommandError(.badData, "")) { try ManifestFile.parse(Array(deep.utf8), name: "m") }
  }

  @Test func `R120 doctor ends with 65 on an error and prints one document`() throws {
    let folder = try ScratchFolder()
    let bad = try folder.write("bad.json", "{}")
    let good = try folder.write("good.json", Self.good)
    #expect(run("doctor", good).status == 0)
    #expect(run("doctor", bad).status == 65)
    #expect(run("doctor", folder.path + "/none").status == 66)
    #expect(run("doctor", folder.path).status == 65)
    let result = run("doctor", bad, "--json")
    #expect(result.status == 65)
    #expect(result.console.printed.count == 1)
    #expect(try JSONObjectSample.read(result.console.printed[0])["passed"] == .bool(false))
  }
}
