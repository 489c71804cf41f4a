import Broker
import BrokerInterface
import BrokerStore
import Catalogue
import Delivery
import EventLoop
import Limits
import Monitor
import PhotoModel
import PluginCatalogue
import UnixSocket
import Varlink

/// Everything that lives on the event loop's thread: the core, the connections, and each library's
/// runtime.
final class ServiceCore {
  let loop: EventLoop
  let broker: Broker
  let store: any Store
  let environment: any Environment
  let configuration: Configuration
  let log: Log
  let notices: RepeatedNotices
  let factory: ProcessFactory
  private(set) lazy var plugins = PluginService(catalogue, core: self)
  private(set) lazy var trials = PluginTrials(core: self)
  private let catalogue: PluginCatalogue
  let uid: UInt32
  /// Copies the durable state, with notes of the files beside it. The completion runs on the loop's
  /// thread.
  let backUp: ([BackupNote], @escaping StoreCompletion<BackupFile>) -> Void
  var open = SubscriptionTable()
  private(set) lazy var tokenEnds = TokenEnds(core: self)
  let pages = PageLoginCodes()
  /// The copies that apps still hold open.
  let handedCopies = HandedCopies()
  private(set) lazy var runtimes = LibraryRuntimes(core: self)
  let connections: ConnectionTable
  let tasks = IncrementalTasks()
  let disclosures: Disclosures
  /// Bytes of each user's unfinished uploads.
  var uploads = Quota<UInt32>(limitPerUser: ServiceLimits.uploadBytesPerUser)
  private(set) lazy var promptWatchers = PromptWatchers { [tasks] in tasks.add($0) }
  let secrets: LibrarySecrets
  private lazy var methods = (apps: LibraryMethods.table(self), owners: AdminMethods.table(self))

  init(
    loop: EventLoop, broker: Broker, store: any Store, environment: any Environment, configuration: Configuration,
    log: Log,
    factory: ProcessFactory, catalogue: PluginCatalogue, uid: UInt32,
    backUp: @escaping ([BackupNote], @escaping StoreCompletion<BackupFile>) -> Void
  ) throws(EventLoopError) {
    self.loop = loop
    self.broker = broker
    self.store = store
    self.environment = environment
    disclosures = Disclosures(store: store, environment: environment, allowances: broker.allowances)
    self.configuration = configuration
    self.log = log
    notices = RepeatedNotices {
      log.notice($0)
    } schedule: { [unowned loop] in
      loop.schedule(after: $0, $1)
    }
    connections = try ConnectionTable(on: loop, broker: broker, log: log, notices: notices)
    self.factory = factory
    secrets = LibrarySecrets(
      factory.credentials, copies: configuration.stateDirectory + "/copies", on: loop)
    self.catalogue = catalogue
    self.uid = uid
    self.backUp = backUp
    broker.delegate = self
    broker.bounds = LibraryBounds(configuration, own: uid)
    let names = Set(broker.libraries.keys.map(\.description))
    secrets.eraseOrphans(keeping: names)
    loop.onTurnsEnd { [unowned self] in
      connections.turns.run(for: Self.turnsSlice) { $0.takeTurn() }
      tasks.runNext()
      let isOpen = connections.beginPending(for: self)
      // Checked last, because each of the steps can add work to another one.
      return !connections.turns.isEmpty || !tasks.isEmpty || isOpen
    }
    for library in broker.libraries.values { runtimes.start(library) }
  }

  func table(of connection: Connection) -> MethodTable {
    switch connection.role {
    case .app: methods.apps
    case .administration: methods.owners
    }
  }

  // MARK: The loop

  /// Time budget for connections' turns in one turn of the loop.
  private static let turnsSlice = Duration.microseconds(200)
  func runDue() -> Duration? {
    tokenEnds.look()
    return broker.expiry.runDue()
  }

  func didClose(_ connection: Connection) {
    tokenEnds.forget(connection)
    promptWatchers.remove(connection)
    pages.closed(ObjectIdentifier(connection))
    uploads.giveBack(connection.uploads.total, of: connection.socket.peer.uid)
    connections.remove(connection)
  }

  func later(_ action: @escaping () -> Void) { loop.schedule(after: .zero, action) }

  func closeAll() {
    connections.closeAll()
    notices.flush()
    runtimes.stopAll()
    plugins.stop()
  }

  // MARK: Observers and streams

  /// Ends the subscriptions and queued replies that an expired token allowed.
  func tokenEnded(on connection: Connection) {
    if let subscription = open[connection], !broker.mayRelease(subscription.permit), !subscription.survives() {
      subscription.revoke()
    }
    _ = connection.withdraw { !broker.mayRelease($0) }
  }
}

extension ServiceCore: BrokerDelegate {
  /// A narrowed grant withdraws its queued replies and open streams at once.
  func grantNarrowed(_ grant: GrantState) -> NarrowingEffect {
    var effect = NarrowingEffect()
    let isStale: (Permit) -> Bool = { [broker] in $0.grant === grant && !broker.mayRelease($0) }
    for subscription in open.all(where: isStale) where !subscription.survives() {
      subscription.revoke()
      if subscription is StreamSession { effect.streams += 1 }
    }
    for connection in connections.using(grant) {
      effect.connections += 1
      effect.dropped += connection.withdraw(where: isStale) ?? 1
    }
    later { [self] in
      let key = grant.record.key
      guard let runtime = runtimes[key.library] else { return }
      if broker.hands(key) {
        runtime.bytes.forgetUnseenCopies(of: key.app)
      } else {
        runtime.bytes.forgetCopies(of: key.app)
      }
    }
    return effect
  }

  func contentNarrowed(in library: LibraryName) { runtimes[library]?.bytes.forgetAppCopies() }

  func albumAccessNeeded(_ grant: GrantState) { runtimes[grant.record.key.library]?.policies.compileAlbums(for: grant) }

  func promptsChanged(owners: Set<UInt32>) {
    promptWatchers.changed(owners)
  }

  func canShowPrompts(to owners: Set<UInt32>) -> Bool { promptWatchers.canShow(to: owners) }

  func accountName(of user: UInt32) -> String { LocalAccounts.name(of: user) ?? "user \(user)" }

  func select(_ selectors: [RuleSelector], in library: LibraryState, completion: @escaping (Selection?) -> Void) {
    // A deleted album chooses nothing.
    let present = selectors.filter { $0.album.map { library.albums[$0] != nil } ?? true }
    SelectorResolver(store: store, runtimes: runtimes).resolve([(library, present.map { RuleForm.shown($0) })]) {
      completion(try? $0.get().first)
    }
  }

  func closeSession(_ session: Session) { connections[session]?.close() }

  func filesReleased(in library: LibraryName) { runtimes[library]?.scanner.rescan() }

  func restore(
    _ asset: AssetNumber, in library: LibraryState, keeping: [StoreChange], completion: @escaping Completion<Int>
  ) { runtimes[library].trash.restore([asset], keeping: keeping, completion) }

  func checkDeletions(in library: LibraryState, completion: @escaping Completion<Void>) {
    runtimes[library].opened.checkThatStorageChanges(
      error: { BrokerError(.refused, $0.message, $0.reason) }, completion)
  }

  func moveToTrash(in library: LibraryState) { runtimes[library].trash.moveToTrash() }

  func logGrew(in library: LibraryName) { runtimes[library]?.views.noteSoon() }

  func inPieces(_ piece: @escaping () -> Bool) { tasks.run(piece) }
}

extension VerifiedIdentity {
  init(_ peer: PeerIdentity) {
    // A process of the same user can forge such an identity. It is shown to people, and never
    // restores an app's grants.
    let vouched = peer.vouched.flatMap { $0.isForgeableBySameUser ? nil : "\($0.kind.rawValue):\($0.name)" }
    self.init(
      uid: peer.uid, processID: peer.processKey,
      processIdentity: peer.process.isBoundToSocket ? peer.process.identity : nil,
      systemIdentity: vouched, executable: peer.executable, isInterpreter: peer.isInterpreter)
  }
}
