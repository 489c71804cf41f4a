import BrokerInterface
import Limits

/// Applies the decisions and rules of a file in one transaction.
enum ApplyCommand {
  private static let file = Operand("FILE", "the decisions and rules, as JSON; - reads standard input", values: .file)

  static let apply = Command(
    "apply", "Apply the decisions and rules of a file, all or none", [file], options: [.preview],
    discussion: DecisionFile.help
  ) { invocation throws(CommandError) in
    let path = invocation.arguments[file]
    var decisions = try DecisionFile(
      InputFile.read(path, limitBytes: DecisionFile.limitBytes, console: invocation.console), name: InputFile.name(path)
    )
    try decisions.resolve(invocation)
    var parameters = Admin.Apply.Parameters(grants: decisions.grants, rules: decisions.rules)
    let isPreview = invocation.arguments.has(.preview)
    if isPreview || !invocation.arguments.has(.yes) {
      parameters.preview = true
      let preview = try invocation.call(Admin.Apply.self, parameters)
      if isPreview { return try invocation.report(preview) { show($0, decisions.rules, invocation) } }
      if invocation.asksFirst {
        show(preview.value, decisions.rules, invocation)
        if preview.value.grants.allSatisfy({ changes($0).isEmpty }), preview.value.rules.allSatisfy({ !$0.changed }) {
          return invocation.say("Nothing was changed: all of it is in force already.")
        }
        try invocation.confirm("Apply this?")
      } else {
        for change in preview.value.grants {
          try invocation.confirmWidening(GrantCommands.widening(change), of: change.after.identifier)
        }
        try invocation.confirmWidening { () throws(CommandError) in
          try Widening(decisions.rules, preview.value.rules, invocation)
        }
      }
      // The outcome binds the call to the preview: a choice that changed meanwhile is refused.
      (parameters.preview, parameters.outcome) = (nil, preview.value.outcome)
    }
    try invocation.report(invocation.call(Admin.Apply.self, parameters)) { reply in
      if !invocation.asksFirst { show(reply, decisions.rules, invocation) }
      let (grants, rules) = (reply.grants.count { !changes($0).isEmpty }, reply.rules.count { $0.changed })
      invocation.say(
        grants + rules == 0
          ? "Nothing was changed: all of it is in force already."
          : "Applied: \(Amount.count(grants, "decision")), \(Amount.count(rules, "rule")).")
      invocation.print(reply.receipt, ends: false)
    }
  }

  private static func show(_ reply: Admin.Apply.Reply, _ rules: [Admin.Rule], _ invocation: Invocation) {
    for change in reply.grants {
      let grant = change.after
      invocation.print(
        "\(grant.identifier), \(AccessWords.levels.shown(grant.level)) in \(grant.library): \(difference(change)).")
    }
    for (rule, change) in zip(rules, reply.rules) {
      invocation.print("rule \(rule.name) in \(rule.library): \(difference(rule, change)).")
    }
  }

  private static func difference(_ rule: Admin.Rule, _ change: Admin.RuleChange) -> String {
    var text = RuleCommands.words(rule)
    if !change.changed { return text + "; stays as it is" }
    if let before = change.before { text += "; replaces: " + RuleCommands.words(before) }
    if change.answers > 0 { text += "; answers \(Amount.count(change.answers, "waiting request"))" }
    return text
  }

  private static func difference(_ change: Admin.GrantChange) -> String {
    let words = changes(change)
    return words.isEmpty ? "stays as it is" : words.joined(separator: "; ")
  }

  private static func changes(_ change: Admin.GrantChange) -> [String] {
    let (before, after) = (change.before, change.after)
    var words: [String] = []
    let (old, new) = (before.map(Words.status) ?? AccessWords.statuses.shown("notDetermined"), Words.status(after))
    if old != new { words.append("\(old) becomes \(new)") }
    if before?.albumPolicy ?? "own" != after.albumPolicy { words.append("albums become \(after.albumPolicy)") }
    if let before, before.terms != after.terms {
      words.append("terms become \(Words.terms(after) ?? "all facts, and changes")")
    }
    if before?.expires != after.expires { words.append("ends \(after.expires.map(Words.moment) ?? "never")") }
    if change.added > 0 { words.append(photos(change.added, "join the selection", change.sample)) }
    if change.removed > 0 { words.append(photos(change.removed, "leave the selection", change.left)) }
    return words
  }

  /// A count, with the first names if the caller may see them.
  private static func photos(_ count: Int64, _ what: String, _ sample: [Admin.OwnedAsset]?) -> String {
    guard let sample else { return "\(count) \(what)" }
    let names = sample.prefix(5).map { $0.path ?? $0.filename }
    return "\(count) \(what): \((names + (count > Int64(names.count) ? ["..."] : [])).joined(separator: ", "))"
  }
}
