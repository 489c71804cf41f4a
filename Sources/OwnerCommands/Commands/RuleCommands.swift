import BrokerInterface

enum RuleCommands {
  static let group = Command("rule", "See and take away the rules that answer apps", commands: [list, remove])

  static let list = Command(
    "list", "List rules, in the order in which they are tried", options: [.inLibrary],
    discussion: "Rules are made by photobroker apply. What one selects is shown to who sees photos in its library."
  ) { invocation throws(CommandError) in
    try invocation.report(invocation.callForAll(Admin.ListRules.self, .init(library: invocation.arguments[.inLibrary])))
    { reply in
      var table = Table("LIBRARY", "RULE", "WHAT IT DOES", "MADE BY", "MADE")
      for rule in reply.rules {
        table.add(
          rule.library, rule.name, words(rule), rule.author.map { Words.user($0) } ?? "-", Words.moment(rule.made))
      }
      invocation.print(table, whenEmpty: "No rule answers for you; every question waits for a person.")
    }
  }

  private static let name = Operand("RULE", "the rule's name")

  static let remove = Command(
    "remove", "Take a rule away; what it decided stays", [.library, name]
  ) { invocation throws(CommandError) in
    let (library, rule) = (invocation.arguments[.library], invocation.arguments[name])
    try invocation.confirm("Take the rule \(rule) of \(library) away?")
    try invocation.report(invocation.call(Admin.RemoveRule.self, .init(library: library, name: rule))) { _ in
      invocation.print("The rule \(rule) is gone; what it decided stays.")
    }
  }

  /// Whether a rule grants the app access without a prompt.
  static func gives(_ rule: Admin.Rule, to app: Admin.AppInfo) -> Bool {
    ["allow", "select"].contains(rule.answer) && rule.rests != true && rule.uid == app.uid
      && (rule.identifier ?? app.identifier) == app.identifier
      && (rule.verifiedIdentity ?? app.verifiedIdentity) == app.verifiedIdentity
  }

  static func words(_ rule: Admin.Rule) -> String {
    let chosen = rule.select.map { " " + $0.map(SelectorWords.words).joined(separator: "; or ") + "," } ?? ""
    var text = "\(rule.answer)\(chosen) \(rule.level) for \(rule.identifier ?? "any app") of \(Words.user(rule.uid))"
    if let identity = rule.verifiedIdentity { text += " in \(identity)" }
    if let policy = rule.albumPolicy { text += ", albums \(policy)" }
    if let lifetime = rule.lifetime { text += ", for \(lifetime) s" }
    if let app = rule.restsOver {
      text +=
        "; rests, as somebody decided since that \(app), which it answers, gets less: apply it again to mean it anew"
    } else if rule.rests == true {
      text += "; rests, as who made it does not decide here"
    }
    return text
  }
}
