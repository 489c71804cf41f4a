import PhotoModel

struct RuleBook {
  private var byLibrary: [LibraryName: [RuleRecord]] = [:]
  /// Names of rules whose stored version may differ.
  private var unkept: [LibraryName: Set<String>] = [:]

  /// The rules of one library, in the order of evaluation.
  func rules(of library: LibraryName) -> [RuleRecord] { byLibrary[library] ?? [] }

  /// - Parameter isKept: false before the commit of the rule.
  mutating func put(_ rule: RuleRecord, isKept: Bool = true) {
    if isKept { unkept[rule.library]?.remove(rule.name) } else { unkept[rule.library, default: []].insert(rule.name) }
    var rules = byLibrary[rule.library] ?? []
    rules.removeAll { $0.name == rule.name }
    rules.append(rule)
    byLibrary[rule.library] = rules.sorted {
      ($0.role == .administrator ? 0 : 1, $0.name) < ($1.role == .administrator ? 0 : 1, $1.name)
    }
  }

  mutating func remove(_ name: String, of library: LibraryName) { byLibrary[library]?.removeAll { $0.name == name } }

  mutating func forget(_ library: LibraryName) {
    byLibrary[library] = nil
    unkept[library] = nil
  }

  /// Whether the same rule is present and stored, regardless of author and time.
  func has(_ rule: RuleRecord) -> Bool {
    guard let present = rules(of: rule.library).first(where: { $0.name == rule.name }),
      unkept[rule.library]?.contains(rule.name) != true
    else { return false }
    var same = rule
    (same.author, same.made) = (present.author, present.made)
    return same == present
  }
}

/// Amounts of access, the least first.
enum RuleAccess: Comparable {
  case none, some, all
}

extension RuleAnswer {
  var access: RuleAccess {
    switch self {
    case .allow: .all
    case .select: .some
    case .deny, .restrict, .keep: .none
    }
  }
}

extension GrantState {
  /// Whether a person decided, at or after the rule's creation, that the app gets less than the
  /// rule gives. An expired grant counts as a decision of the person who set its end.
  func contradicts(_ rule: RuleRecord, _ environment: any Environment) -> Bool {
    let access: RuleAccess
    switch status(environment) {
    case .notDetermined:
      // A forgotten decision counts as no access.
      guard isForgotten else { return false }
      access = .none
    case .denied, .restricted: access = .none
    case .limited: access = record.isPaused ? .none : .some
    case .authorized: access = record.isPaused ? .none : .all
    }
    let role = hasEnded(environment) ? record.roleOfEnd : record.role
    let isLess = access < rule.answer.access || rule.answer.access > .none && !record.termsInForce.include(rule.given)
    return isLess && role != .rule && record.decided >= rule.made
  }
}

extension GrantState {
  /// Whether the grant ended by itself after the rule was made. A person renews it, not the rule.
  func hasEnded(since rule: RuleRecord) -> Bool {
    isNoted && record.status == .notDetermined && rule.answer.access > .none
      && (!edits.isEmpty || record.source == .expiry && record.decided >= rule.made)
  }
}

extension RuleRecord {
  /// The terms of a grant by this rule.
  var given: GrantTerms {
    var given = GrantTerms.standard
    given.location = answer == .allow
    if answer == .allow { given.allowance[.photosPerDay] = 0 }
    terms.apply(to: &given)
    return given
  }

  func answers(_ kind: PromptRecord.Kind) -> Bool {
    switch kind {
    case .authorization: answer != .keep
    case .keepSelection: answer == .keep
    // The app asked for a person's choice.
    case .selection: false
    // The app took more than its owner allows.
    case .allowance: false
    }
  }

  func concerns(_ app: AppRecord) -> Bool {
    app.uid == uid && (identifier == nil || app.manifest.identifier == identifier)
      && (systemIdentity == nil || app.systemIdentity == systemIdentity)
  }
}
