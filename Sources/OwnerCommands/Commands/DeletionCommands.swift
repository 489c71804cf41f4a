import Accounts
import BrokerInterface
import Limits
import Varlink

enum DeletionCommands {
  static let group = Command("deletion", "Answer apps that ask to delete photos", commands: [list, wait, answer])

  private static let deletion = Operand(
    "DELETION", "the request, as deletion list names it; left out where only one waits", count: .optional,
    values: .listed([.deletions]))
  private static let choice = Operand(
    "ANSWER", "allow: all its photos move to the trash; decline: nothing changes; asked on a terminal if left out",
    count: .optional, values: .words(["allow", "decline"]))

  static let list = Command("list", "List deletions that wait for you") { invocation throws(CommandError) in
    try invocation.report(invocation.callForAll(Admin.ListDeletions.self, .init())) { show($0, invocation) }
  }

  static let wait = Command(
    "wait", "Wait until an app asks to delete photos, and show the request",
    discussion: "Apps can ask while it runs, as they can while the page is open or photobroker notify runs."
  ) { invocation throws(CommandError) in
    try invocation.broker().followAll(Admin.ListDeletions.self, .init()) { (answer) throws(CommandError) in
      guard !answer.value.deletions.isEmpty else { return false }
      try invocation.report(answer) { show($0, invocation) }
      return true
    }
  }

  private static func show(_ reply: Admin.ListDeletions.Reply, _ invocation: Invocation) {
    var table = Table("DELETION", "APP", "USER", "LIBRARY", "PHOTOS", "ASKED")
    for request in reply.deletions {
      table.add(
        request.deletion, "\(ShownText.claimed(request.app.displayName)) (\(request.app.identifier))",
        AccountNames.words(request.app.uid), request.library, "\(request.assets.count)", Words.moment(request.asked))
    }
    invocation.print(table, whenEmpty: "No deletion waits for you.")
  }

  static let answer = Command(
    "answer", "Let an app delete the photos that it asks to delete, or decline", [deletion, choice],
    options: [.preview],
    discussion: """
      Before an allowed deletion its photos are listed. Deleted photos can be restored from the trash. \
      An app with grant terms --deletions allow deletes without asking.
      """
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    let isPreview = arguments.has(.preview)
    if !isPreview { try invocation.requireAnswer(choice) }
    let name = try name(invocation)
    var answer = arguments[choice]
    if answer.isEmpty, !isPreview {
      let waiting = try waiting(name, invocation)
      invocation.print(
        "\(Words.app(waiting.app)), asks to delete \(Amount.count(waiting.assets.count, "photo")) in \(waiting.library)"
      )
      answer = try invocation.answer(among: ["allow", "decline"])
    }
    let allows = answer == "allow"
    if isPreview || allows && invocation.asksFirst {
      let waiting = try waiting(name, invocation)
      let found = try FoundAssets(
        .init(library: waiting.library, selector: Admin.Selector(identifiers: waiting.assets)), limit: 50, invocation)
      if isPreview {
        return try invocation.report(found.json) { AssetTable.showNames(found.assets, of: found.total, invocation) }
      }
      AssetTable.showNames(found.assets, of: found.total, invocation)
      let these = found.total == 1 ? "this photo" : "these \(found.total) photos"
      try invocation.confirm("Let \(waiting.app.identifier) delete \(these)?")
    }
    let reply: Answer<Admin.AnswerDeletion.Reply>
    do throws(CommandError) {
      reply = try invocation.call(Admin.AnswerDeletion.self, .init(deletion: name, allow: allows))
    } catch {
      // Names the waiting requests in place of an answered or mistyped one.
      if error.code == .notFound, !invocation.isJSON { _ = try waiting(name, invocation) }
      throw error
    }
    try invocation.report(reply) { _ in invocation.say(allows ? "The app may delete them." : "Nothing is deleted.") }
  }

  /// The name of the deletion on the command line, else of the one that waits.
  private static func name(_ invocation: Invocation) throws(CommandError) -> String {
    let gives = invocation.arguments[choice] != "decline" && !invocation.arguments.has(.preview)
    return try invocation.waiting("deletion", deletion, gives: gives) { () throws(CommandError) in
      try invocation.callForAll(Admin.ListDeletions.self, .init()).value.deletions.map(waiting)
    }
  }

  private static func waiting(_ deletion: Admin.DeletionInfo) -> Invocation.Waiting {
    (deletion.deletion, deletion.app, deletion.library)
  }

  private static func waiting(_ name: String, _ invocation: Invocation) throws(CommandError) -> Admin.DeletionInfo {
    let deletions = try invocation.callForAll(Admin.ListDeletions.self, .init()).value.deletions
    guard let request = deletions.first(where: { $0.deletion == name }) else {
      throw .notWaiting("deletion", name, deletions.map(waiting))
    }
    return request
  }
}
