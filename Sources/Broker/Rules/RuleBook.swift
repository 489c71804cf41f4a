import PhotoModel

/// The rules of all libraries.
struct RuleBook {
  private var byLibrary: [LibraryName: [RuleRecord]] = [:]

  /// Those of one library, in the order in which they are tried.
  func rules(of library: LibraryName) -> [RuleRecord] { byLibrary[library] ?? [] }

  mutating func put(_ rule: RuleRecord) {
    var rules = byLibrary[rule.library] ?? []
    rules.removeAll { $0.name == rule.name }
    rules.append(rule)
    byLibrary[rule.library] = rules.sorted {
      ($0.role == .administrator ? 0 : 1, $0.name) < ($1.role == .administrator ? 0 : 1, $1.name)
    }
  }

  mutating func remove(_ name: String, of library: LibraryName) { byLibrary[library]?.removeAll { $0.name == name } }

  mutating func forget(_ library: LibraryName) { byLibrary[library] = nil }

  /// The first rule that answers such a question.
  func rule(for kind: PromptRecord.Kind, _ key: GrantKey, _ app: AppRecord) -> RuleRecord? {
    rules(of: key.library).first { $0.answers(kind) && $0.level == key.level && $0.concerns(app) }
  }
}

extension RuleRecord {
  func answers(_ kind: PromptRecord.Kind) -> Bool {
    switch kind {
    case .authorization: answer != .keep
    case .keepSelection: answer == .keep
    // The app asked for its person's choice.
    case .selection: false
    }
  }

  func concerns(_ app: AppRecord) -> Bool {
    app.uid == uid && (identifier == nil || app.manifest.identifier == identifier)
      && (systemIdentity == nil || app.systemIdentity == systemIdentity)
  }
}
