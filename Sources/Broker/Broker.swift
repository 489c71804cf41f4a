import Catalogue
import Limits
import PhotoModel
import Proofs

/// The heart: who may see what. Events go in, effects come out; it makes no system call, has no
/// clock and no randomness of its own and never awaits, so that every decision is a single point in
/// time. Used from one thread.
package final class Broker {
  package internal(set) var libraries: [LibraryName: LibraryState] = [:]
  package let environment: any Environment
  /// Told of what a decision needs done around it; outlives the broker.
  package unowned var delegate: (any BrokerDelegate)? {
    didSet { editor.delegate = delegate }
  }
  let store: any Store
  let apps: AppRegistry
  let grants = GrantTable()
  let tokens: TokenAuthority
  let prompts = PromptQueue()
  let pickers = PickerTable()
  var rules = RuleBook()
  let sessions = SessionTable()
  let lifeCycles = LifeCycles()
  var latestTime: LatestTime
  /// When it was last noted for a later start, on the clock that nobody can set.
  var timeNoted: Duration
  let editor: GrantEditor
  /// Users whom root named as administrators.
  var namedAdministrators: Set<UInt32>
  /// Users whom the machine's configuration names.
  private var configuredAdministrators: Set<UInt32> = []
  /// What each library's storage was last seen to lie on.
  var volumes: [LibraryName: [StorageVolume]] = [:]
  /// What is kept of libraries' files that are of no use; for whoever looks into files.
  var unusable: [LibraryName: String] = [:]
  /// Where each library's change log stood when the present period began.
  var changeLogMarks: [LibraryName: ChangeLogMark] = [:]
  /// How often the apps of each user took something from albums that they did not make.
  var albumTakings: [UInt32: RecentCount] = [:]
  /// Apps that were removed, which records name still.
  var formerApps = FormerApps()
  /// Of each user who declines whatever some others offer: these others.
  var declines: [UInt32: Set<UInt32>] = [:]
  /// Each user's answers to all that others offer.
  let declining = UserTurns(limit: 1)
  /// What each owner decides about content, in all of their libraries.
  let ownersTurns = UserTurns(limit: 1)
  /// Introductions that wait for the disk.
  let introductions = UserTurns(limit: BrokerLimits.introductionsPerUser)
  /// Libraries that are on their way to the disk, and their owners.
  var reservedLibraries: [LibraryName: UInt32] = [:]
  /// How many libraries and photos of all users there is room for.
  package var bounds = LibraryBounds()
  /// Apps whose missing usage description was noted for a level, so that a loop of calls leaves one entry.
  var notedDescriptions: Set<GrantKey> = []

  /// Takes up what was kept. What has to be kept of that is given to the store before this returns.
  /// - Throws: `failed` where the contents are damaged: a selection or a library that cannot be read is not served.
  package init(contents: StoreContents, store: any Store, environment: any Environment) throws(BrokerError) {
    self.store = store
    self.environment = environment
    let settings = contents.settings
    latestTime = settings[SettingName.latestTime].map { LatestTime(noted: $0, environment) } ?? LatestTime()
    timeNoted = environment.monotonic
    let floor = settings[SettingName.epochFloor].flatMap { UInt64($0) } ?? 0
    let outside = settings[SettingName.outsideEpochFloor].flatMap { UInt64($0) } ?? 0
    let highest = contents.grants.map(\.epoch).max() ?? 0
    editor = GrantEditor(
      store: store, environment: environment, epochs: EpochCounter(atLeast: max(floor, outside, highest)))
    namedAdministrators = Set(
      (settings[SettingName.administrators] ?? "").split(separator: ",").compactMap { UInt32($0) })
    let key: [UInt8]
    var changes: [StoreChange] = []
    if let kept = settings[SettingName.brokerKey].flatMap(Self.readKey) {
      key = kept
    } else {
      key = environment.randomBytes(32)
      changes.append(.putSetting(name: SettingName.brokerKey, value: Self.writeKey(key)))
    }
    apps = AppRegistry(contents.apps)
    formerApps = FormerApps(contents.formerApps)
    tokens = TokenAuthority(brokerKey: key, records: contents.tokens)
    editor.alongside = { [unowned self] in alongside($0, $1, $2) }
    editor.didSettle = { [unowned self] in didSettle($0) }
    readDeclines(settings)
    for library in contents.libraries {
      let state = LibraryState(contents: library, store: store, environment: environment)
      state.additions = Additions(settings[SettingName.additions + library.record.name.description] ?? "")
      insert(state)
      volumes[library.record.name] = settings[SettingName.volumes + library.record.name.description].map(
        Self.readVolumes)
      prompts.dismissals.restore(
        settings[SettingName.dismissals + library.record.name.description] ?? "", of: library.record.name)
      unusable[library.record.name] = settings[SettingName.unusable + library.record.name.description]
      changeLogMarks[library.record.name] = settings[SettingName.changeLog + library.record.name.description].flatMap(
        ChangeLogMark.init)
    }
    lifeCycles.restore(settings[SettingName.lifeCycles] ?? "", boot: environment.bootSeconds)
    changes += try restore(contents)
    let kept = settings[SettingName.keptTokens]
    if outside > floor {
      let own = Self.ownTokens(kept, after: outside)
      changes += pauseAll(keeping: own ?? []) + withdrawWhatGives(knowsWhoLeft: own != nil)
    }
    // A copy of the database that comes back later does not speak of what happens from now on.
    if kept?.isEmpty == false { changes.append(.putSetting(name: SettingName.keptTokens, value: "")) }
    if !changes.isEmpty { store.commit(changes) { _ in } }
  }

  /// Administrators beside root (R130).
  package var administrators: Set<UInt32> { namedAdministrators.union(configuredAdministrators) }

  /// Root, or named (R130).
  func isAdministrator(_ user: UInt32) -> Bool { user == 0 || administrators.contains(user) }

  /// Whether a user may widen what apps may do in a library: its owners, and administrators whom the owner lets (R130).
  func decides(_ user: UInt32, in library: LibraryState) -> Bool {
    library.isOwner(user) || isAdministrator(user) && library.record.administratorsDecide
  }

  /// Users whom the machine's configuration names as administrators, beside those whom root named.
  package func addAdministrators(_ users: Set<UInt32>) { configuredAdministrators.formUnion(users) }

  // MARK: Connections

  /// A client connected. The identity is what the kernel said at accept; it never changes.
  package func open(_ identity: VerifiedIdentity) -> Session {
    let session = Session(identity: identity, broker: self)
    sessions.insert(session)
    return session
  }

  /// A process that had connections has ended: the life cycle of its app ends with the last one.
  package func processEnded(_ processID: Int64) {
    if lifeCycles.end(process: processID) { keepLifeCycles() }
  }

  // MARK: Release

  /// The one check before anything leaves: nothing has been taken away since the permit was given,
  /// and nothing has ended. Asked for every reply at the moment of its sending, and by streams for
  /// every piece.
  package func mayRelease(_ permit: Permit) -> Bool {
    let grant = permit.attachment.grant
    return (permit.epoch == permit.attachment.epoch || Proof.epochAtRelease.isMade)
      && (grant.isInForce(environment) || Proof.grantAtRelease.isMade && !grant.isRemoved)
      && permit.attachment.isCurrent(environment) && !permit.session.isClosed
  }

  /// Something of a library that any grant may show (originals of edited photos) may be shown no
  /// longer: what was admitted so far leaves no more. Call in the turn in which that changed.
  package func contentNarrowed(in library: LibraryName) {
    delegate?.contentNarrowed(in: library)
    for grant in grants.all + pickers.grants
    where grant.record.key.library == library && grant.record.status.grantsAccess {
      _ = editor.invalidate(grant)
    }
  }

  /// The grants, picks included, that show any of these assets now. For others nothing ends when
  /// these go out of sight: that a reply was withdrawn would tell an app of photos that it cannot
  /// see.
  func grants(showing assets: Selection, of library: LibraryState) -> [GrantState] {
    let (catalogue, name) = (library.catalogue, library.record.name)
    let shown = grants.all.filter { grant in
      grant.record.key.library == name && grant.view(subset: assets).map { catalogue.count(in: $0) > 0 } ?? false
    }
    // A person may have picked what is hidden from views.
    let picked = pickers.grants.filter { grant in
      grant.record.key.library == name && catalogue.count(of: catalogue.intersection(grant.selection, assets)) > 0
    }
    return shown + picked
  }

  /// The same of what limited views alone lose; picks keep it.
  func limitedGrants(showing assets: Selection, of library: LibraryState) -> [GrantState] {
    let catalogue = library.catalogue
    return grants.all.filter { grant in
      grant.record.key.library == library.record.name && grant.record.status == .limited
        && grant.view(subset: assets).map { catalogue.count(in: $0) > 0 } ?? false
    }
  }

  /// A grant's album policy answers another thing: what was admitted under the old answer leaves no
  /// more where that took something away.
  /// - Parameter basis: What it answered for; nil where it did not.
  package func setAlbums(_ access: AlbumAccess, of grant: GrantState, basis: AlbumBasis? = nil) {
    defer { grant.albumBasis = basis }
    guard grant.albums != access, !grant.isRemoved else { return }
    let library = libraries[grant.record.key.library]
    let before = library?.albumRights(of: grant)
    let takesAway = !access.includes(grant.albums)
    grant.albums = access
    if takesAway { _ = editor.invalidate(grant) }
    // Albums that the view hides anyway are no difference that an app could be told of.
    guard let library else { return }
    if before != library.albumRights(of: grant) { library.grantDidChange(grant) }
  }

  // MARK: What the service may look up

  package func grant(_ key: GrantKey) -> GrantState? { grants[key] }
  package func app(_ identifier: AppIdentifier) -> App? { apps[identifier] }

  /// One that was removed; nil for those that are there, and for one of which nothing is known.
  package func formerApp(_ identifier: AppIdentifier) -> FormerApp? {
    apps[identifier] == nil ? formerApps[identifier] : nil
  }

  /// All that call themselves so, removed ones too. Whoever asks sees no more of them than the
  /// records that they may read.
  package func apps(claiming claimed: String) -> Set<AppIdentifier> {
    Set(apps.apps.values.lazy.filter { $0.record.manifest.identifier == claimed }.map(\.identifier))
      .union(formerApps.all.lazy.filter { $0.claimed == claimed }.map(\.identifier))
  }
  /// Grants that somebody decided on, in one library.
  package func grants(in library: LibraryName) -> [GrantState] { grants.decided { $0.record.key.library == library } }

  /// Those of the same library beside one, in no order.
  package func others(than grant: GrantState) -> [GrantState] {
    let library = grant.record.key.library
    return grants.all.filter { $0 !== grant && $0.record.status != .notDetermined && $0.record.key.library == library }
  }

  /// The rules of a library, in the order in which they are tried.
  package func rules(in library: LibraryName) -> [RuleRecord] { rules.rules(of: library) }
  /// The app's read-write grant, whose selection an asset joins that the app adds (R43). Nil while
  /// nobody has decided on one: what the app added until then joins when somebody does.
  package func joiningGrant(of app: AppIdentifier, in library: LibraryName) -> GrantState? {
    let grant = grants[GrantKey(library: library, app: app, level: .readWrite)]
    return grant?.record.status == .notDetermined ? nil : grant
  }

  private static func readKey(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count == 64 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: 64, by: 2) {
      guard let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) else { return nil }
      bytes.append(byte)
    }
    return bytes
  }

  private static func writeKey(_ key: [UInt8]) -> String {
    key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
