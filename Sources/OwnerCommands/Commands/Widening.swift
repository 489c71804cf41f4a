import BrokerInterface
import Limits

/// Upper bounds of the photos that apps see more after a change.
struct Widening {
  /// The growth of each view, with the name of its app for the question.
  var apps: [(app: String, count: Int64)] = []

  /// The growth when paused grants continue.
  init(resuming parameters: Admin.PauseGrant.Parameters, _ invocation: Invocation) throws(CommandError) {
    let grants = try Self.grants(parameters.library, parameters.app, invocation).filter { $0.paused }
    let apps = try parameters.uid == nil ? [] : invocation.apps()
    for grant in grants {
      if let uid = parameters.uid, !apps.contains(where: { $0.app == grant.app && $0.uid == uid }) { continue }
      if let level = parameters.level, level != grant.level { continue }
      self.apps.append((grant.identifier, try Self.whole(grant, invocation)))
    }
  }

  /// The growth when the marks hidden and never-share are cleared.
  init(clearing parameters: Admin.MarkAssets.Parameters, _ invocation: Invocation) throws(CommandError) {
    let marks = [parameters.hidden, parameters.neverShare]
    guard marks.contains(false), !marks.contains(true), SelectorOptions.isLarge(parameters.selector) else { return }
    var count: Int64 = 0
    for (mark, value) in [(\Admin.Selector.hidden, marks[0]), (\.neverShare, marks[1])] where value == false {
      var request = Admin.FetchOwnedAssets.Parameters(
        library: parameters.library, selector: parameters.selector, limit: 1)
      request.selector?[keyPath: mark] = true
      count &+= try invocation.call(Admin.FetchOwnedAssets.self, request).value.total
    }
    apps = try Self.growth(showing: count, in: parameters.library, invocation)
  }

  /// The growth when a decision is undone: what its earlier grant gave, what its marks hid, or what its
  /// earlier rule gives to apps that wait.
  init(undoing decision: Admin.DecisionInfo, _ invocation: Invocation) throws(CommandError) {
    guard decision.undoable, let library = decision.library else { return }
    let (before, after) = (DecidedAccess(decision.before), DecidedAccess(decision.after))
    guard let app = decision.app else {
      apps = try Self.growth(showing: after.withheld, in: library, invocation)
      let answers = ["allow", "select"].map { ": \($0) readWrite for " }.filter(decision.before.contains)
      guard !answers.isEmpty else { return }
      for prompt in try invocation.callForAll(Admin.ListPrompts.self, .init()).value.prompts
      where prompt.library == library && prompt.level == "readWrite" {
        let scopes = [prompt.app.identifier, "any app"].map { "\($0) of user \(prompt.app.uid)" }
        guard scopes.contains(where: decision.before.contains) else { continue }
        apps.append((prompt.app.identifier, try invocation.assetCount(library)))
      }
      return
    }
    // An edit may replace a selection by another of the same size.
    let isSame = before == after && !["select", "undo"].contains(decision.action)
    guard decision.level == "readWrite", before.givesAccess, !isSame else { return }
    let present = try Self.grants(library, app, invocation).first { !$0.paused }
    let all = try invocation.assetCount(library) &- (present?.visible ?? 0)
    // A live selection may hold more by now than when the decision was made.
    let selected = before.isLive ? nil : before.selected
    apps = [(decision.identifier ?? app, selected.map { present?.status == "authorized" ? 0 : $0 } ?? all)]
  }

  /// The growth by rules that answer waiting requests.
  init(_ rules: [Admin.Rule], _ changes: [Admin.RuleChange], _ invocation: Invocation) throws(CommandError) {
    for (rule, change) in zip(rules, changes) where change.answers > 0 && rule.level == "readWrite" {
      var count: Int64 = 0
      if rule.answer == "select" {
        for selector in rule.select ?? [] {
          count &+= try invocation.call(
            Admin.FetchOwnedAssets.self,
            .init(library: rule.library, selector: selector, limit: 1, purpose: "selection")
          ).value.total
        }
      } else if rule.answer == "allow" {
        count = try invocation.assetCount(rule.library)
      }
      apps.append((rule.identifier ?? "any app of \(Words.user(rule.uid))", count))
    }
  }

  /// The growth when photos lose a mark that withheld them.
  private static func growth(
    showing count: Int64, in library: String, _ invocation: Invocation
  ) throws(CommandError) -> [(app: String, count: Int64)] {
    guard count > Invocation.largeWidening else { return [] }
    // A photo may have had both marks.
    let count = min(count, try invocation.assetCount(library))
    return try grants(library, nil, invocation).filter { !$0.paused }.map { grant in
      (grant.identifier, min(count, grant.status == "limited" ? grant.selected &- grant.visible : count))
    }
  }

  /// The grants that let apps see photos now, or once they continue.
  private static func grants(
    _ library: String?, _ app: String?, _ invocation: Invocation
  ) throws(CommandError) -> [Admin.GrantInfo] {
    try invocation.callForAll(Admin.ListGrants.self, .init(library: library, app: app)).value.grants
      .filter { $0.level == "readWrite" && Words.gives($0) && $0.resting != true }
  }

  /// The photos that a grant gives while it is not paused.
  private static func whole(_ grant: Admin.GrantInfo, _ invocation: Invocation) throws(CommandError) -> Int64 {
    try grant.status == "limited" ? grant.selected : invocation.assetCount(grant.library)
  }
}

/// The facts of a decision's before or after text that bound a view.
private struct DecidedAccess: Equatable {
  let status: String
  /// The size of the selection; nil without one.
  var selected: Int64?
  /// The number of photos that got the mark hidden or never-share.
  var withheld: Int64 = 0
  let (isLive, isPaused): (Bool, Bool)

  init(_ text: String) {
    let parts = text.split(separator: ", ").map(String.init)
    status = parts.first ?? ""
    (isLive, isPaused) = (parts.contains("live"), parts.contains("paused"))
    selected = parts.lazy.compactMap { Self.count($0, "selected") }.first
    for word in ["hidden", "never shared"] { withheld += parts.lazy.compactMap { Self.count($0, word) }.first ?? 0 }
  }

  var givesAccess: Bool { ["authorized", "limited"].contains(status) && !isPaused }

  private static func count(_ part: String, _ word: String) -> Int64? {
    part.hasSuffix(" " + word) ? Int32(part.dropLast(word.count + 1)).map(Int64.init) : nil
  }
}

extension Invocation {
  /// Asks before a change lets an app see many more photos.
  ///
  /// - Throws: as `confirm`.
  func confirmWidening(_ widening: () throws(CommandError) -> Widening) throws(CommandError) {
    if arguments.has(.yes) { return }
    let large = try widening().apps.filter { $0.count > Self.largeWidening }
    guard let most = large.map(\.count).max() else { return }
    let named = large.prefix(3).map(\.app).joined(separator: ", ")
    let others = large.count > 3 ? " and \(Amount.count(large.count - 3, "other app"))" : ""
    try confirm("Let \(named)\(others) see up to \(most) more photos\(large.count > 1 ? " each" : "")?")
  }
}
