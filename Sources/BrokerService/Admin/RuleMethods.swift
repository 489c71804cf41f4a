import Broker
import BrokerInterface
import Catalogue
import Limits
import PhotoModel
import Varlink

/// Rules, and files of grants and rules that are applied together.
struct RuleMethods {
  let broker: Broker
  let selectors: SelectorResolver
  let trials: PluginTrials

  @MethodRows var methods: [Method] {
    Method(Admin.Apply.self, .administration(apply))
    Method(Admin.ListRules.self, .administration(listRules))
    Method(Admin.RemoveRule.self, .administration(removeRule))
  }

  private static let sampleSize = 20

  private func apply(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.Apply.Parameters = try call.parameters()
    let grants = parameters.grants ?? []
    var rules: [RuleRecord] = []
    for rule in parameters.rules ?? [] { rules.append(try record(rule, session)) }
    guard grants.allSatisfy({ $0.select?.count ?? 0 <= BrokerLimits.selectorsPerRule }) else {
      throw .refused(
        .ruleChoices,
        "An entry has at most \(BrokerLimits.selectorsPerRule) choices of assets; write fewer filters.",
        ["limit": "\(BrokerLimits.selectorsPerRule)"])
    }
    guard grants.lazy.map({ $0.select?.count ?? 0 }).reduce(0, +) <= ServiceLimits.selectorsPerApplication else {
      throw .refused(
        .applyingTooMany,
        "At most \(ServiceLimits.selectorsPerApplication) choices of assets are applied together; split them.",
        ["limit": "\(ServiceLimits.selectorsPerApplication)"])
    }
    var entries: [GrantEntry] = []
    var choices: [(library: LibraryState, selectors: [Admin.Selector])] = []
    for grant in grants {
      let entry = try entry(grant)
      entries.append(entry)
      guard choosesAssets(grant) else { continue }
      choices.append((try decide(session.editableLibrary(entry.key.library)), grant.select ?? []))
    }
    let plain = entries
    let decided = rules
    let asked = choices
    trials.claimPolicies(policies(plain, decided, session)) { result in
      let claim: PluginClaim
      do throws(BrokerError) { claim = try result.get() } catch { return call.fail(error) }
      guard !call.isClosed else { return claim.release() }
      selectors.resolve(asked) { result in
        guard !call.isClosed else { return claim.release() }
        switch result {
        case .failure(let failure):
          claim.release()
          call.fail(failure)
        case .success(let selections):
          let chosen = choose(selections, grants, plain)
          let effects = session.rules.effects(ofMaking: decided)
          let isPreview = parameters.preview ?? false
          let source: DecisionSource = parameters.inSettings ?? false ? .settings : .file
          let answered: Completion<([EntryOutcome], RightsReceipt)> = {
            claim.release()
            answer($0, effects, isPreview: isPreview, call, session)
          }
          guard !isPreview, let shown = parameters.outcome else {
            return session.batch.apply(chosen, rules: decided, source: source, preview: isPreview, completion: answered)
          }
          // A preview completes synchronously, so nothing can change between it and the change that
          // follows.
          session.batch.apply(chosen, rules: decided, preview: true) { result in
            switch result {
            case .success(let (outcomes, _)) where shown == outcome(outcomes, effects, session):
              session.batch.apply(chosen, rules: decided, source: source, completion: answered)
            case .success: answered(.failure(.outcomeChanged()))
            case .failure(let error): answered(.failure(error))
            }
          }
        }
      }
    }
  }

  /// A typing error in an album is found now. Who may not see the albums is told nothing of them.
  private func record(_ rule: Admin.Rule, _ session: AdminSession) throws(CallFailure) -> RuleRecord {
    let record = try RuleForm.record(rule)
    if let library = broker.libraries[record.library], session.sees(library),
      record.selectors.contains(where: { $0.album.map { library.albums[$0] == nil } ?? false })
    {
      throw AdminParameters.noAlbum()
    }
    return record
  }

  /// Album policies that entries and rules name, in libraries that the caller knows. Errors in
  /// other libraries are found with the decision.
  private func policies(_ entries: [GrantEntry], _ rules: [RuleRecord], _ session: AdminSession) -> [LibraryName:
    Set<String>]
  {
    var found: [LibraryName: Set<String>] = [:]
    let named = entries.map { ($0.key.library, $0.settings.albumPolicy) } + rules.map { ($0.library, $0.albumPolicy) }
    for case (let library, let policy?) in named where (try? session.library(library)) != nil {
      found[library, default: []].insert(policy)
    }
    return found
  }

  private func choosesAssets(_ grant: Admin.GrantEntry) -> Bool { grant.select != nil || grant.replace == true }

  private func entry(_ grant: Admin.GrantEntry) throws(CallFailure) -> GrantEntry {
    let key = GrantKey(
      library: try AdminParameters.library(grant.library), app: try AdminParameters.app(grant.app),
      level: try LibraryMethods.level(grant.level))
    return GrantEntry(
      key: key, live: try LiveForm.live(among: grant.select, grant.live),
      settings: try AdminParameters.settings(
        status: grant.status, expires: grant.expires, albumPolicy: grant.albumPolicy, terms: grant.terms))
  }

  private func choose(
    _ selections: [Selection], _ grants: [Admin.GrantEntry], _ entries: [GrantEntry]
  ) -> [GrantEntry] {
    var rest = selections[...]
    return zip(grants, entries).map { grant, entry in
      guard choosesAssets(grant), let chosen = rest.popFirst() else { return entry }
      var entry = entry
      entry.adding = chosen
      entry.replaces = grant.replace == true || entry.live != nil
      return entry
    }
  }

  private func answer(
    _ result: Result<([EntryOutcome], RightsReceipt), BrokerError>, _ effects: [RuleEffect], isPreview: Bool,
    _ call: IncomingCall, _ session: AdminSession
  ) {
    result.orFail(call) { (outcomes, receipt) in
      let changes = outcomes.map { outcome in
        let library = broker.libraries[outcome.after.record.key.library].flatMap { session.sees($0) ? $0 : nil }
        func sample(_ assets: [AssetNumber]) -> [Admin.OwnedAsset]? {
          library.map { library in
            library.catalogue.latest(Self.sampleSize, of: assets).map { AdminRecords.asset($0, in: library) }
          }
        }
        return Admin.GrantChange(
          before: outcome.before.map { AdminRecords.grant($0) }, after: AdminRecords.grant(outcome.after),
          added: Int64(outcome.added.count), removed: Int64(outcome.removed.count),
          sample: sample(outcome.added), left: sample(outcome.removed))
      }
      call.reply(
        Admin.Apply.Reply(
          grants: changes, rules: self.changes(effects, session), receipt: Admin.Receipt(receipt),
          decisions: receipt.entered,
          outcome: isPreview ? outcome(outcomes, effects, session) : nil))
    }
  }

  private func changes(_ effects: [RuleEffect], _ session: AdminSession) -> [Admin.RuleChange] {
    effects.map { effect in
      Admin.RuleChange(
        before: effect.before.map { shown($0, session) }, changed: effect.isNews, answers: Int64(effect.answers))
    }
  }

  /// Names the outcome that a preview shows; nil if there is no digest. It leaves out the number of
  /// visible assets, which changes with every photo, and the time of the decision, which a preview
  /// cannot know.
  private func outcome(_ outcomes: [EntryOutcome], _ effects: [RuleEffect], _ session: AdminSession) -> String? {
    func lasting(_ view: GrantView) -> Admin.GrantInfo {
      var grant = AdminRecords.grant(view)
      (grant.visible, grant.decided) = (0, 0)
      return grant
    }
    var bytes: [UInt8] = []
    for outcome in outcomes {
      let change = Admin.GrantChange(
        before: outcome.before.map(lasting), after: lasting(outcome.after), added: Int64(outcome.added.count),
        removed: Int64(outcome.removed.count))
      bytes += change.jsonBytes
      bytes += ShownOutcome.bytes(of: outcome.added) + ShownOutcome.bytes(of: outcome.removed)
    }
    for change in changes(effects, session) { bytes += change.jsonBytes }
    return ShownOutcome.name(bytes)
  }

  private func listRules(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ListRules.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.library)
    let rules = try decide(session.rules.list(library: library))
    func key(_ rule: RuleRecord) -> String { "\(rule.library) \(rule.role == .administrator ? 0 : 1) \(rule.name)" }
    let page = try ListPage(rules, after: parameters.cursor, key: key) { shown($0, session) }
    call.reply(Admin.ListRules.Reply(rules: page.items, cursor: page.cursor))
  }

  private func shown(_ rule: RuleRecord, _ session: AdminSession) -> Admin.Rule {
    let contradiction = broker.ruleEngine.contradiction(of: rule)
    let library = broker.libraries[rule.library]
    return RuleForm.shown(
      rule, withSelectors: library.map { session.sees($0) } ?? false,
      rests: rule.answer != .restrict && (contradiction != nil || !broker.ruleEngine.hasAuthority(rule)),
      restsOver: contradiction?.record.manifest.identifier, albums: library?.albums)
  }

  private func removeRule(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.RemoveRule.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.library)
    let answer = call.replying { (made: [UInt64]) in Admin.RemoveRule.Reply(decisions: made.map { Int64(clamping: $0) })
    }
    session.rules.remove(parameters.name, of: library, completion: answer)
  }
}
