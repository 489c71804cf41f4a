import Cryptography
import Foundation
import Macaroons
import Testing
import Varlink

@testable import OwnerCommands

/// Offers, answers and selections shown before they are sent (R126, R146).
@Suite struct ShownSelectionTests {
  private let folder: ScratchFolder
  private let broker: ScriptedBroker

  init() throws {
    folder = try ScratchFolder()
    broker = try ScriptedBroker(in: folder, Samples.script)
  }

  @Test func `R126 an offer is shown and confirmed on a terminal, and exactly that is accepted`() {
    defer { broker.stop() }
    let shown = #""owner":1001,"programs":true,"coOwner":true"#
    let no = run("library", "accept", "photos", broker: broker, console: .terminal("n"))
    #expect(no.status == 1 && broker.calls("AnswerOffer").isEmpty)
    #expect(no.console.questions.joined().contains("\(Words.user(1001)) offers for your programs, you as co-owner"))
    #expect(run("library", "accept", "photos", broker: broker, console: .terminal("y")).status == 0)
    #expect(run("library", "accept", "photos", broker: broker).status == 0, "where nobody can be asked")
    #expect(
      run("library", "decline", "photos", broker: broker, console: .terminal("n")).status == 0, "it is not asked about")
    #expect(
      broker.calls("AnswerOffer") == [true, true, false].map { #"{"library":"photos","accept":\#($0),\#(shown)}"# })
    #expect(run("library", "accept", "absent", broker: broker).status != 0)
    #expect(broker.calls("AnswerOffer").count == 3)
  }

  @Test(arguments: [
    (
      "accept", "--programs",
      #""accept":true,"owner":1001,"programs":true,"coOwner":false,"declinesPrograms":false,"declinesCoOwner":true"#
    ),
    (
      "accept", "--co-owner",
      #""accept":true,"owner":1001,"programs":false,"coOwner":true,"declinesPrograms":false,"declinesCoOwner":false"#
    ),
    (
      "decline", "--programs",
      #""accept":true,"owner":1001,"programs":false,"coOwner":false,"declinesPrograms":true,"declinesCoOwner":true"#
    ),
    (
      "decline", "--co-owner",
      #""accept":true,"owner":1001,"programs":false,"coOwner":false,"declinesPrograms":false,"declinesCoOwner":true"#
    ),
  ]) func `R126 R127 one of two offered roles is answered, and the other's answer is repeated`(
    _ command: String, _ option: String, _ sent: String
  ) throws {
    let offer = #""library":"photos","owner":1001,"declined":false,"accepted":false,"programs":true,"coOwner":true"#
    let answers = #""programsAnswer":"waiting","coOwnerAnswer":"declined""#
    let other = try ScriptedBroker(
      in: folder, named: "apart.sock",
      [
        "ListOffers": .reply("{\"offers\":[{\(offer),\(answers)}]}"),
        "AnswerOffer": .reply(#"{"receipt":\#(Samples.noReceipt)}"#),
      ])
    defer { [broker, other].forEach { $0.stop() } }
    let result = run("library", command, "photos", option, broker: other, console: .terminal("y"))
    #expect(result.status == 0 && other.calls("AnswerOffer") == [#"{"library":"photos",\#(sent)}"#])
    if command == "accept" {
      let alone = option == "--programs" ? "for your programs alone" : "for you as co-owner alone"
      #expect(result.console.questions.joined().contains("Accept photos of \(Words.user(1001)) \(alone)?"))
    } else {
      #expect(result.console.questions.isEmpty)
    }
    // Naming both parts equals naming none.
    #expect(run("library", "decline", "photos", "--programs", "--co-owner", broker: other).status == 0)
    #expect(
      other.calls("AnswerOffer").last
        == #"{"library":"photos","accept":false,"owner":1001,"programs":true,"coOwner":true}"#)
    #expect(
      run("library", "offers", broker: other).console.printed.joined().contains(
        "your programs: none yet, you as co-owner: declined"))
    #expect(run("library", "accept", "--from", "1001", option, broker: broker).status == ExitCode.usage.rawValue)
    #expect(broker.calls("AnswerOffer").isEmpty && broker.calls("AnswerOffers").isEmpty)
  }

  @Test func `R126 a role that is not offered is not answered`() throws {
    let offer =
      #"{"library":"photos","owner":1001,"declined":false,"accepted":false,"programs":false,"coOwner":true,"coOwnerAnswer":"waiting"}"#
    let other = try ScriptedBroker(
      in: folder, named: "one.sock",
      ["ListOffers": .reply(#"{"offers":[\#(offer)]}"#), "AnswerOffer": .reply(#"{"receipt":\#(Samples.noReceipt)}"#)])
    defer { [broker, other].forEach { $0.stop() } }
    #expect(run("library", "accept", "photos", "--programs", broker: other).status == ExitCode.notFound.rawValue)
    #expect(other.calls("AnswerOffer").isEmpty)
    #expect(
      run("library", "decline", "photos", "--co-owner", broker: other).console.printed == [
        "You are not a co-owner of photos."
      ])
    #expect(
      other.calls("AnswerOffer") == [
        #"{"library":"photos","accept":false,"owner":1001,"programs":false,"coOwner":true}"#
      ])
  }

  @Test func `R146 a terminal shows count and names before any change`() {
    defer { broker.stop() }
    let no = run("grant", "select", "photos", "a1", "--last", "1", broker: broker, console: .terminal("n"))
    #expect(no.status == 1)
    #expect(no.console.printed.joined().contains("2024/sea.jpg"))
    #expect(broker.calls("EditSelection") == [#"{"library":"photos","app":"a1","add":{"last":1},"preview":true}"#])
    let yes = run("grant", "select", "photos", "a1", "--last", "1", broker: broker, console: .terminal("y"))
    #expect(yes.status == 0)
    #expect(broker.calls("EditSelection").count == 3)
    // Exactly the assets shown, without later imports.
    #expect(
      broker.calls("EditSelection").last
        == #"{"library":"photos","app":"a1","add":{"identifiers":["\#(Samples.identifier)"]}}"#)
    let away = run("grant", "unselect", "photos", "a1", "--last", "1", broker: broker, console: .terminal("y"))
    #expect(away.status == 0)
    #expect(
      broker.calls("EditSelection").last
        == #"{"library":"photos","app":"a1","remove":{"identifiers":["\#(Samples.identifier)"]}}"#)
  }

  @Test func `R28 agreed words are shown with grant and decision and hide nothing`() throws {
    let words =
      #"{"identifier":"org.example.journal","displayName":"Journal","usageDescription":"Shows\nyour \u202ephotos.","language":null,"executable":"/usr/bin/python3"}"#
    let present = words.replacing("Shows", with: "Sells")
    func agreed(by user: UInt32, _ rest: String) -> String {
      String(Samples.grant.dropLast()) + #","agreement":{"time":1720000000000000,"actor":\#(user),\#(rest)}}"#
    }
    func show(_ name: String, _ grant: String) throws -> [String] {
      var script = Samples.script
      script["ListGrants"] = .reply(#"{"grants":[\#(grant)]}"#)
      let other = try ScriptedBroker(in: folder, named: name + ".sock", script)
      defer { other.stop() }
      return run("grant", "show", "photos", "a1", broker: other).console.printed
    }
    defer { broker.stop() }
    let shown = #"“Journal” (org.example.journal): “Shows\u{a}your \u{202e}photos.”"#
    let mine = try show("mine", agreed(by: getuid(), #""changed":false,"words":\#(words)"#))
    #expect(mine.suffix(1) == ["photos, see and change: you said yes on 2024-07-03T09:46:40+00:00 to \(shown)"])
    let other = try show("other", agreed(by: getuid() + 1, #""changed":true,"words":\#(words),"present":\#(present)"#))
    #expect(
      other.suffix(2) == [
        "photos, see and change: \(Words.user(Int64(getuid()) + 1)) said yes on 2024-07-03T09:46:40+00:00 to \(shown)",
        "  today the app says: \(shown.replacing("Shows", with: "Sells"))",
      ])
    let all = try show("all", agreed(by: getuid(), #""changed":true"#))
    #expect(!all.contains { $0.contains("said yes") }, "a list of all has no words")
    var script = Samples.script
    guard case .reply(let decisions) = script["ListDecisions"] else { return #expect(Bool(false)) }
    script["ListDecisions"] = .reply(
      decisions.replacing(#""undoable":true"#, with: #""undoable":true,"words":\#(words)"#))
    let listing = try ScriptedBroker(in: folder, named: "listing.sock", script)
    defer { listing.stop() }
    let listed = run("decisions", "photos", broker: listing).console.printed
    #expect(listed.count == 2 && listed[0].hasSuffix("APP'S WORDS") && listed[1].hasSuffix(shown))
  }

  @Test func `durations are shown in units and not in seconds`() throws {
    var script = Samples.script
    guard case .reply(let decisions) = script["ListDecisions"], case .reply(let rules) = script["ListRules"] else {
      return #expect(Bool(false))
    }
    script["ListDecisions"] = .reply(decisions.replacing(#""before":""#, with: #""before":"r: deny, for 2592000 s, "#))
    script["ListRules"] = .reply(rules.replacing("3600", with: "2592000"))
    let other = try ScriptedBroker(in: folder, named: "times.sock", script)
    defer { [broker, other].forEach { $0.stop() } }
    for words in [["decisions", "photos"], ["rule", "list"]] {
      #expect(runWords(words, broker: other).console.everything.contains("for 30 days"), "\(words)")
    }
  }

  @Test func `R146 a selection too large to show is sent as its selector`() throws {
    var script = Samples.script
    script["EditSelection"] = .reply(Samples.edit.replacing(#""added":1"#, with: #""added":70"#))
    script["FetchOwnedAssets"] = .reply(
      #"{"assets":[\#(Array(repeating: Samples.asset, count: 50).joined(separator: ","))],"total":70}"#)
    let other = try ScriptedBroker(in: folder, named: "many.sock", script)
    defer { [broker, other].forEach { $0.stop() } }
    #expect(run("grant", "select", "photos", "a1", "--all", broker: other, console: .terminal("y")).status == 0)
    #expect(other.calls("EditSelection").last == #"{"library":"photos","app":"a1","add":{"all":true}}"#)
    let answered = run("request", "answer", "p1", "select", "--all", broker: other, console: .terminal("y"))
    #expect(answered.console.printed.contains("  and 20 more"))
    #expect(other.calls("AnswerPrompt") == [#"{"prompt":"p1","answer":"select","selector":{"all":true}}"#])
  }

  @Test func `R146 an answer's selection is shown and confirmed on a terminal`() {
    defer { broker.stop() }
    let preview = run("request", "answer", "p1", "select", "--last", "1", "--preview", broker: broker)
    #expect(preview.status == 0)
    #expect(preview.console.printed == ["  2024/sea.jpg  2024-07-03T09:46:40+00:00", "1 asset would be selected."])
    let json = run("request", "answer", "p1", "select", "--last", "1", "--preview", "--json", broker: broker)
    #expect(json.console.printed == [#"{"assets":[\#(Samples.asset)],"total":1}"#])
    #expect(run("request", "answer", "p1", "allow", "--preview", broker: broker).status == 64)
    #expect(run("request", "answer", "p9", "select", "--all", "--preview", broker: broker).status == 66)
    #expect(run("request", "answer", "p1", "change", "--all", "--preview", broker: broker).status == 65)
    #expect(
      run("request", "answer", "p1", "select", "--last", "1", broker: broker, console: .terminal("n")).status == 1)
    #expect(broker.calls("AnswerPrompt").isEmpty)
    #expect(
      run("request", "answer", "p1", "select", "--last", "1", broker: broker, console: .terminal("y")).status == 0)
    #expect(
      broker.calls("AnswerPrompt") == [
        #"{"prompt":"p1","answer":"select","selector":{"identifiers":["\#(Samples.identifier)"]}}"#
      ])
  }

  @Test func `R43 the app's own additions are counted beside a selection, and beside none`() throws {
    var script = Samples.script
    script["ListPrompts"] = .reply(#"{"prompts":[\#(Samples.prompt.dropLast()),"joining":3}]}"#)
    let other = try ScriptedBroker(in: folder, named: "joining.sock", script)
    defer { [broker, other].forEach { $0.stop() } }
    let words = ["request", "answer", "p1", "select"]
    // The choice includes one of the three.
    let preview = runWords(words + ["--last", "1", "--preview"], broker: other)
    #expect(preview.console.printed.last == "1 asset would be selected, and the 2 others that the app added itself.")
    #expect(
      other.calls("FetchOwnedAssets").last
        == #"{"library":"photos","selector":{"last":1},"addedBy":"a1","limit":1,"purpose":"selection"}"#)
    let json = runWords(words + ["--last", "1", "--preview", "--json"], broker: other).console.printed
    #expect(json == [#"{"assets":[\#(Samples.asset)],"total":1,"joining":2}"#])
    let some = runWords(words + ["--last", "1"], broker: other, console: .terminal("n"))
    #expect(
      some.console.questions == [
        "Let org.example.journal see this asset, and the 2 others that the app added itself? [y/N] "
      ])
    let none = runWords(words + ["--none"], broker: other, console: .terminal("n"))
    #expect(
      none.console.questions == [
        "No asset is chosen: the app will see only the 3 assets that it added itself. Go on? [y/N] "
      ])
    #expect(
      run("request", "list", broker: other).console.printed.joined().contains("sees the 3 assets that it added itself"))
    #expect(other.calls("AnswerPrompt").isEmpty)
    let nothing = runWords(words + ["--none"], broker: broker, console: .terminal("n"))
    #expect(nothing.console.questions == ["No asset is chosen: the app will see none. Go on? [y/N] "])
  }

  @Test func `R127 regained access is shown before an offer, and suspended rules separately`()
    throws
  {
    var script = Samples.script
    let resting = String(Samples.grant.dropLast()) + #","resting":true}"#
    script["ListGrants"] = .reply(#"{"grants":[\#(resting)]}"#)
    script["ListLibraries"] = .reply(#"{"libraries":[\#(Samples.info().replacing("[61003]", with: "[]"))]}"#)
    script["OfferLibrary"] = .reply(#"{"receipt":\#(Samples.receipt),"decisions":[7]}"#)
    script["ListTokens"] = .reply(
      #"{"tokens":[{"accessor":"acc1","library":"photos","app":"a1","level":"readWrite","minted":1720000000000000,"revoked":false,"resting":true}]}"#
    )
    let other = try ScriptedBroker(in: folder, named: "resting.sock", script)
    // A user with an offer who declined it regains nothing by another offer.
    script["ListLibraries"] = .reply(
      #"{"libraries":[\#(Samples.info().replacing(#""declinedBy":[]"#, with: #""declinedBy":[61003]"#))]}"#)
    let declined = try ScriptedBroker(in: folder, named: "declined.sock", script)
    defer { [broker, other, declined].forEach { $0.stop() } }
    #expect(runWords(["library", "offer", "photos", "1000,61003"], broker: declined).status == 0)
    #expect(run("grant", "list", broker: other).console.printed.joined().contains("3 selected photos, not offered"))
    #expect(run("token", "list", broker: other).console.printed.joined().contains("not offered"))
    let offer = ["library", "offer", "photos", "--add", "61003"]
    let no = runWords(offer, broker: other, console: .terminal("n"))
    #expect(no.status == 1 && other.calls("OfferLibrary").isEmpty)
    #expect(
      no.console.questions.joined().contains(
        "org.example.journal of user 61003, see and change: 3 selected photos, not offered"))
    #expect(
      runWords(offer, broker: other).status == 64 && other.calls("OfferLibrary").isEmpty, "where nobody can be asked")
    #expect(runWords(offer, broker: other, console: .terminal("y")).status == 0)
    // An offer without regained access needs no confirmation.
    let others = run("library", "offer", "photos", "--add", "1000", broker: other, console: .terminal("n"))
    #expect(others.status == 0 && others.console.questions.isEmpty)
    let removed = run("library", "offer", "photos", "--remove", "61003", broker: other, console: .terminal("n"))
    #expect(removed.status == 0 && removed.console.questions.isEmpty)
    #expect(
      removed.console.printed.contains("Stopped. 2 connections lost access, 1 transfer cancelled."))
    #expect(removed.console.printed.contains { $0.contains("1 grant will apply again, with the same tokens, once") })
  }
}
