import PhotoModel

/// What holds when the database is older than the last revocation: somebody put an older one back (R144).
extension Broker {
  private static let decider = Decider(uid: 0, role: .rule, origin: "restore", source: .restore)

  /// Which rules, co-owners and administrators' rights were taken away since cannot be known, and each of them gives access
  /// without its owner: all of them go. Each is a decision that the owner can undo.
  func withdrawWhatGives() -> [StoreChange] {
    libraries.keys.sorted().flatMap { withdrawRules(of: $0) + withdrawDelegation(of: $0) }
  }

  private func withdrawRules(of name: LibraryName) -> [StoreChange] {
    rules.rules(of: name).filter { $0.answer == .allow || $0.answer == .select }.flatMap { rule -> [StoreChange] in
      rules.remove(rule.name, of: name)
      let decision = DecisionRecord(
        time: environment.now, by: Self.decider, action: "removeRule", library: name, before: rule.summary, after: "")
      return [
        .removeRule(name, name: rule.name),
        .decide(decision, change: .rule(before: rule, after: nil), number: DecisionNumber()),
      ]
    }
  }

  private func withdrawDelegation(of name: LibraryName) -> [StoreChange] {
    guard let library = libraries[name] else { return [] }
    let before = library.record
    library.record.coOwners = []
    library.record.administratorsSee = false
    library.record.administratorsDecide = false
    library.planned = library.record
    guard library.record != before else { return [] }
    let decision = DecisionRecord(
      time: environment.now, by: Self.decider, action: "delegate", library: name, before: before.delegated, after: library.record.delegated)
    let change = DecisionChange.library(before: LibraryRights(before), after: LibraryRights(library.record))
    return [.putLibrary(library.record), .decide(decision, change: change, number: DecisionNumber())]
  }
}
