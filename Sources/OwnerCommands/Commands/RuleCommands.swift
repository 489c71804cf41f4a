import BrokerInterface
import Limits

enum RuleCommands {
  static let group = Command("rule", "List and remove the rules that answer apps", commands: [list, remove])

  static let list = Command(
    "list", "List rules, in the order in which they are tried", options: [.inLibrary],
    discussion:
      "photobroker apply makes rules. A rule's selection is shown only to people who may see the library's photos."
  ) { invocation throws(CommandError) in
    try invocation.report(invocation.callForAll(Admin.ListRules.self, .init(library: invocation.arguments[.inLibrary])))
    { reply in
      var table = Table("LIBRARY", "RULE", "WHAT IT DOES", "MADE BY", "MADE")
      for rule in reply.rules {
        table.add(
          rule.library, rule.name, words(rule), rule.author.map { Words.user($0) } ?? "-", Words.moment(rule.made))
      }
      invocation.print(table, whenEmpty: "There are no rules: a person answers every request.")
    }
  }

  private static let name = Operand("RULE", "the rule's name", values: .listed([.rules]))

  static let remove = Command(
    "remove", "Remove a rule; its decisions stay", [.library, name]
  ) { invocation throws(CommandError) in
    let (library, rule) = (invocation.arguments[.library], invocation.arguments[name])
    try invocation.confirm("Remove the rule \(rule) of \(library)?") { () throws(CommandError) in
      let rules = try invocation.callForAll(Admin.ListRules.self, .init(library: library)).value.rules
      return rules.contains { $0.name == rule }
    }
    try invocation.report(invocation.call(Admin.RemoveRule.self, .init(library: library, name: rule))) { _ in
      invocation.print("The rule \(rule) is removed. Its decisions stay.")
    }
  }

  /// Whether a rule grants the app access without a prompt.
  static func gives(_ rule: Admin.Rule, to app: Admin.AppInfo) -> Bool {
    ["allow", "select"].contains(rule.answer) && rule.rests != true && rule.uid == app.uid
      && (rule.identifier ?? app.identifier) == app.identifier
      && (rule.verifiedIdentity ?? app.verifiedIdentity) == app.verifiedIdentity
  }

  static func words(_ rule: Admin.Rule) -> String {
    // A rule of a file names its album as it was typed there.
    let selectors = (rule.select ?? []).map {
      rule.made == nil ? SelectorWords.words($0) : SelectorWords.words($0, albumTitle: rule.albumTitle)
    }
    let chosen = selectors.isEmpty ? "" : " \(selectors.joined(separator: "; or ")),"
    var text =
      "\(AccessWords.ruleAnswers.shown(rule.answer))\(rule.live == true ? " live" : "")\(chosen) "
      + "\(AccessWords.levels.shown(rule.level)) for \(rule.identifier ?? "any app") of \(Words.user(rule.uid))"
    if let identity = rule.verifiedIdentity { text += " in \(identity)" }
    if let policy = rule.albumPolicy { text += ", albums \(policy)" }
    if rule.terms?.location == true { text += ", with places" }
    if let restrictions = Words.restrictions(rule.terms) { text += ", \(restrictions)" }
    if let lifetime = rule.lifetime { text += ", for \(Amount.duration(seconds: lifetime))" }
    if let app = rule.restsOver {
      text +=
        "; inactive, because a later decision reduced the access of \(app): apply the rule again to reactivate it"
    } else if rule.rests == true {
      text += "; inactive, because its author may not decide in this library"
    }
    return text
  }
}
