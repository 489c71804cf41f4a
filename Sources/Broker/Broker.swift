import Catalogue
import Limits
import PhotoModel
import Proofs

/// The state and the decisions about all access. It takes events and causes effects through its
/// delegate and store. It makes no system calls, has no clock or randomness of its own and never
/// suspends, so that every decision happens at one point in time. Used from one thread.
package final class Broker {
  package internal(set) var libraries: [LibraryName: LibraryState] = [:]
  package let environment: any Environment
  /// Carries out the effects of decisions. It must outlive the broker.
  package unowned var delegate: (any BrokerDelegate)? {
    didSet { editor.delegate = delegate }
  }
  let store: any Store
  let apps: AppRegistry
  let grants = GrantTable()
  let tokens: TokenAuthority
  let prompts = PromptQueue()
  let pickers = PickerTable()
  /// Deletions that wait for a person, oldest first.
  var deletions: [DeletionRequest] = []
  var rules = RuleBook()
  let sessions = SessionTable()
  let lifeCycles = LifeCycles()
  package let clock: BrokerClock
  let editor: GrantEditor
  package var administrators: Administrators
  package let libraryNotes: LibraryNotes
  /// Recent removals by each user's apps, from albums that the app did not make.
  var albumTakings: [UInt32: RecentCount] = [:]
  var formerApps = FormerApps()
  var declines: Declines
  let ownersTurns = FairQueue(limitPerUser: 1)
  let introductions = FairQueue(limitPerUser: BrokerLimits.introductionsPerUser)
  /// Libraries that are being stored, and their owners.
  var reservedLibraries: [LibraryName: UInt32] = [:]
  /// Limits of libraries and photos for all users together.
  package var bounds = LibraryBounds()
  /// Grants whose missing usage description was recorded, so that a loop of calls leaves one entry.
  var notedDescriptions: Set<GrantKey> = []

  /// Restores the stored state. Repairs of it are given to the store before this returns.
  /// - Throws: `failed` for damaged contents, so that no damaged selection or library is served.
  package init(contents: StoreContents, store: any Store, environment: any Environment) throws(BrokerError) {
    self.store = store
    self.environment = environment
    let settings = contents.settings
    clock = BrokerClock(noted: settings[SettingName.latestTime], store: store, environment: environment)
    let floor = settings[SettingName.epochFloor].flatMap { UInt64($0) } ?? 0
    let outside = settings[SettingName.outsideEpochFloor].flatMap { UInt64($0) } ?? 0
    let highest = contents.grants.map(\.epoch).max() ?? 0
    editor = GrantEditor(
      store: store, environment: environment, epochs: EpochCounter(atLeast: max(floor, outside, highest)))
    administrators = Administrators(
      named: Set((settings[SettingName.administrators] ?? "").split(separator: ",").compactMap { UInt32($0) }))
    let key: [UInt8]
    var changes: [StoreChange] = []
    if let kept = settings[SettingName.brokerKey].flatMap({ Hex.bytes($0) }), kept.count == 32 {
      key = kept
    } else {
      key = environment.randomBytes(32)
      changes.append(.putSetting(name: SettingName.brokerKey, value: Hex.text(key)))
    }
    apps = AppRegistry(contents.apps)
    formerApps = FormerApps(contents.formerApps)
    libraryNotes = LibraryNotes(settings, of: contents.libraries.map(\.record.name), store: store)
    declines = Declines(settings)
    tokens = TokenAuthority(
      brokerKey: key, records: contents.tokens,
      budgets: TokenBudgets(contents.budgets, store: store))
    editor.alongside = { [unowned self] in promptService.alongside($0, $1, $2) }
    editor.didSettle = { [unowned self] in promptService.didSettle($0) }
    editor.didChoose = { [unowned self] in promptService.didChoose($0) }
    for library in contents.libraries {
      let state = LibraryState(
        contents: library, settings: settings, store: store, environment: environment, broker: self)
      libraries[library.record.name] = state
      prompts.backoff.restore(
        settings[SettingName.backoff + library.record.name.description] ?? "", of: library.record.name)
    }
    lifeCycles.restore(settings[SettingName.lifeCycles] ?? "", boot: environment.bootSeconds)
    changes += try restore(contents)
    let note = settings[SettingName.restored]
    if outside > floor {
      let known = Self.libraries(knownBy: note, after: outside)
      changes += pauseAll(keepsTokens: known != nil) + RestoreRestrictions(broker: self).apply(known: known)
    }
    // Consumed: it must not apply to a later restore.
    if note?.isEmpty == false { changes.append(.putSetting(name: SettingName.restored, value: "")) }
    if !changes.isEmpty { store.commit(changes) { _ in } }
  }

  // MARK: Rooms

  package var expiry: Expiry { Expiry(broker: self) }
  package var changeLogTrimmer: ChangeLogTrimmer { ChangeLogTrimmer(broker: self) }
  package var ruleEngine: RuleEngine { RuleEngine(broker: self) }
  package var promptService: PromptService { PromptService(broker: self) }
  var pickerService: PickerService { PickerService(broker: self) }
  package var deletionService: DeletionService { DeletionService(broker: self) }
  var appRegistrar: AppRegistrar { AppRegistrar(broker: self) }
  var childTokens: ChildTokens { ChildTokens(broker: self) }

  // MARK: Connections

  /// Opens a session for a client that connected.
  /// - Parameter identity: the kernel's credentials at accept; they never change.
  package func open(_ identity: VerifiedIdentity) -> Session {
    let session = Session(identity: identity, broker: self)
    sessions.insert(session)
    return session
  }

  /// Notes the end of a process that had connections. An app's life cycle ends with its last
  /// process.
  package func processEnded(_ processID: Int64) {
    let ended = lifeCycles.end(process: processID)
    if ended.isNamed { promptService.keepLifeCycles() }
    expiry.endLifeCycles(of: ended.over)
  }

  // MARK: Release

  /// The check before any data leaves: no restriction came after the permit, and nothing has
  /// expired. Called for every reply when it is sent, and for every piece of a stream.
  package func mayRelease(_ permit: Permit) -> Bool {
    let grant = permit.attachment.grant
    return (permit.epoch == permit.attachment.epoch || Proof.epochAtRelease.isMade)
      && (grant.isInForce(environment) || Proof.grantAtRelease.isMade && !grant.isRemoved)
      && permit.attachment.isCurrent(environment) && !permit.session.isClosed
  }

  /// Makes all prepared replies stale, because content that any grant may show is restricted, such
  /// as originals of edited photos. Call it in the same turn as the change.
  package func contentNarrowed(in library: LibraryName) {
    delegate?.contentNarrowed(in: library)
    for grant in grants.all + pickers.grants
    where grant.record.key.library == library && grant.record.status.grantsAccess {
      _ = editor.invalidate(grant)
    }
  }

  /// The grants, picks included, that show any of these assets now. Other grants stay undisturbed:
  /// a withdrawn reply would tell their apps of invisible photos.
  func grants(showing selection: Selection, of assets: LibraryAssets) -> [GrantState] {
    let (catalogue, name) = (assets.catalogue, assets.library)
    let shown = grants.all.filter { grant in
      grant.record.key.library == name && grant.view(subset: selection).map { catalogue.count(in: $0) > 0 } ?? false
    }
    // People may pick assets that views do not show.
    let picked = pickers.grants.filter { grant in
      grant.record.key.library == name && catalogue.count(of: catalogue.intersection(grant.selection, selection)) > 0
    }
    return shown + picked
  }

  /// The limited grants that show any of these assets, without picks.
  func limitedGrants(showing selection: Selection, of assets: LibraryAssets) -> [GrantState] {
    let catalogue = assets.catalogue
    return grants.all.filter { grant in
      grant.record.key.library == assets.library && grant.record.status == .limited
        && grant.view(subset: selection).map { catalogue.count(in: $0) > 0 } ?? false
    }
  }

  /// Sets the answer of a grant's album policy. If it removes access, prepared replies become
  /// stale.
  /// - Parameter basis: the question; nil if the policy did not answer.
  package func setAlbums(_ access: AlbumAccess, of grant: GrantState, basis: AlbumBasis? = nil) {
    defer { grant.albumBasis = basis }
    guard grant.albums != access, !grant.isRemoved else { return }
    let library = libraries[grant.record.key.library]
    let before = library?.albums.rights(of: grant)
    let takesAway = !access.includes(grant.albums)
    grant.albums = access
    if takesAway { _ = editor.invalidate(grant) }
    // A difference in albums that the view hides anyway must not reach the app.
    guard let library else { return }
    if before != library.albums.rights(of: grant) { library.changes.grantDidChange(grant) }
  }

  // MARK: Lookups for the service

  package var budgets: TokenBudgets { tokens.budgets }
  package private(set) lazy var allowances = Allowances(self)
  package func grant(_ key: GrantKey) -> GrantState? { grants[key] }
  package func app(_ identifier: AppIdentifier) -> App? { apps[identifier] }

  /// A removed app; nil for a present or unknown one.
  package func formerApp(_ identifier: AppIdentifier) -> FormerApp? {
    apps[identifier] == nil ? formerApps[identifier] : nil
  }

  /// Identifiers of all apps with this claimed name, removed ones too. The caller filters the
  /// records that its user may read.
  package func apps(claiming claimed: String) -> Set<AppIdentifier> {
    Set(apps.apps.values.lazy.filter { $0.record.manifest.identifier == claimed }.map(\.identifier))
      .union(formerApps.all.lazy.filter { $0.claimed == claimed }.map(\.identifier))
  }
  /// Grants with a decision in one library.
  package func grants(in library: LibraryName) -> [GrantState] { grants.decided { $0.record.key.library == library } }

  /// The library's other grants with a decision, unordered.
  package func others(than grant: GrantState) -> [GrantState] {
    let library = grant.record.key.library
    return grants.all.filter { $0 !== grant && $0.record.status != .notDetermined && $0.record.key.library == library }
  }

  /// The rules of a library, in the order of evaluation.
  package func rules(in library: LibraryName) -> [RuleRecord] { rules.rules(of: library) }
  /// The app's read-write grant, whose selection the app's own additions join (R43). Nil without a
  /// decision: earlier additions join with the first decision.
  package func joiningGrant(of app: AppIdentifier, in library: LibraryName) -> GrantState? {
    let grant = grants[GrantKey(library: library, app: app, level: .readWrite)]
    return grant?.record.status == .notDetermined ? nil : grant
  }
}
