import Broker
import Catalogue
import Macaroons
import PhotoModel
import Testing

/// A broker with two owners, who have a library with ten photos each, and apps on demand.
final class World {
  static let anna: UInt32 = 1000
  static let bert: UInt32 = 1001
  static let administrator: UInt32 = 0
  static let appUser: UInt32 = 2000
  let photos = LibraryName("photos")!
  let holidays = LibraryName("holidays")!
  let store = MemoryStore()
  let environment = TestEnvironment()
  let delegate = TestDelegate()
  private(set) var broker: Broker
  private var nextProcess: Int64 = 100

  init() throws {
    broker = try Broker(contents: store.contents, store: store, environment: environment)
    broker.delegate = delegate
    try add(photos, owner: Self.anna)
    try add(holidays, owner: Self.bert)
  }

  private func add(_ name: LibraryName, owner: UInt32) throws {
    let library = try done { admin(owner).libraries.add(name, backend: "directory", options: [:], completion: $0) }
    let rows = (0..<10).map { index in
      AssetMutation.insert(
        AssetRecord(
          row: AssetRow(
            number: AssetNumber(0), identifier: AssetIdentifier(high: 0, low: 0),
            creationDate: Timestamp(seconds: 1_600_000_000 + Int64(index)), addedDate: environment.now,
            modificationDate: environment.now, fileName: "IMG_\(index).jpg"),
          caption: nil, camera: nil, livePhotoIdentifier: nil, burstIdentifier: nil, creator: nil, resources: []))
    }
    _ = try done { library.scan.apply(rows, completion: $0) }
    // Anna's photos are for her own apps and those of the service user; Bert's are for his own
    // only.
    guard name == photos else { return }
    _ = try done { admin(owner).rights.offer(name, to: [Self.appUser], completion: $0) }
    try accept(name, by: Self.appUser)
  }

  /// Restarts the broker from the committed state.
  func restart() throws {
    store.crash()
    broker = try Broker(contents: store.contents, store: store, environment: environment)
    broker.delegate = delegate
  }

  // MARK: People

  func admin(_ uid: UInt32) -> AdminSession { broker.openAdministration(uid: uid, origin: "test") }
  var anna: AdminSession { admin(Self.anna) }
  var bert: AdminSession { admin(Self.bert) }
  var root: AdminSession { admin(Self.administrator) }

  /// Has a user accept a library's offers.
  func accept(_ library: LibraryName, by user: UInt32) throws {
    _ = try done { admin(user).offers.answer(library, .all(.accepted), completion: $0) }
  }

  // MARK: Apps

  func connect(
    uid: UInt32 = appUser, process: Int64? = nil, identity: UInt64? = nil, system: String? = nil,
    interpreter: Bool = false
  ) -> Session {
    nextProcess += 1
    return broker.open(
      VerifiedIdentity(
        uid: uid, processID: process ?? nextProcess, processIdentity: identity, systemIdentity: system,
        executable: interpreter ? "/usr/bin/python3" : nil, isInterpreter: interpreter))
  }

  /// A new app on its own connection, with its own token attached.
  func app(_ manifest: Manifest = .test(), uid: UInt32 = appUser, process: Int64? = nil) throws -> Session {
    let session = connect(uid: uid, process: process)
    _ = try done { session.introduce(manifest, completion: $0) }
    return session
  }

  func key(_ session: Session, _ level: AccessLevel = .readWrite, _ library: LibraryName? = nil) -> GrantKey {
    GrantKey(library: library ?? photos, app: session.app!.identifier, level: level)
  }

  /// An app with an answered request.
  func app(
    _ answer: PromptAnswer, _ level: AccessLevel = .readWrite, selecting: [Int] = [], live: LiveSelection? = nil,
    manifest: Manifest = .test()
  ) throws -> Session {
    let session = try app(manifest)
    let asked = Box<Result<Authorization, BrokerError>>()
    session.requestAuthorization(level: level) { asked.value = $0 }
    try self.answer(answer, selecting: selecting, live: live)
    _ = try #require(asked.value).get()
    return session
  }

  /// The same app in its next life cycle, in which nobody has chosen its photos yet.
  func nextRun(of app: Session) throws -> Session {
    let own = try done { app.introduce(app.app!.record.manifest, completion: $0) }.token
    app.close()
    broker.processEnded(app.identity.processID)
    let next = connect()
    _ = try next.attach(own)
    _ = try done { next.requestAuthorization(level: .readWrite, completion: $0) }
    return next
  }

  /// Answers Anna's oldest prompt.
  func answer(
    _ answer: PromptAnswer, selecting: [Int]? = nil, live: LiveSelection? = nil, terms: GrantTerms.Choice = .init(),
    end: GrantSettings.End? = nil
  ) throws {
    let prompt = try #require(anna.prompts.views(language: nil).first)
    _ = try done {
      anna.prompts.answer(
        prompt.prompt.identifier, answer, selection: selecting.map(selection), live: live, terms: terms, end: end,
        completion: $0)
    }
  }

  // MARK: Photos

  var library: LibraryState { broker.libraries[photos]! }
  func selection(_ numbers: [Int]) -> Selection {
    library.catalogue.selection(of: numbers.map { AssetNumber(UInt32($0)) })
  }

  /// The numbers that a fetch returns now; throws if the call is refused.
  func fetch(_ session: Session) throws -> [Int] {
    let permit = try session.authorize(.read)
    return visible(permit)
  }

  func visible(_ permit: Permit) -> [Int] {
    guard let view = permit.view else { return [] }
    let catalogue = permit.library.catalogue
    return catalogue.numbers(in: catalogue.selection(matching: Query(), in: view)).map { Int($0.rawValue) }.sorted()
  }

  func set(
    _ session: Session, _ status: AuthorizationStatus, _ level: AccessLevel = .readWrite, by admin: AdminSession? = nil
  ) throws
    -> Receipt
  {
    let admin = admin ?? anna
    return try done {
      admin.grants.set(
        library: photos, app: session.app!.identifier, level: level, GrantSettings(status: status), completion: $0)
    }.1
  }

  func edit(_ session: Session, add: [Int] = [], remove: [Int] = [], live: LiveChange? = nil) throws
    -> SelectionOutcome
  {
    try done {
      anna.selections.edit(
        library: photos, app: session.app!.identifier, adding: selection(add), removing: selection(remove),
        live: live, completion: $0)
    }
  }
}

/// Runs a call that completes at once, and returns its result.
func done<Value>(_ body: (@escaping (Result<Value, BrokerError>) -> Void) -> Void) throws -> Value {
  let box = Box<Result<Value, BrokerError>>()
  body { box.value = $0 }
  return try #require(box.value, "no answer came").get()
}

final class Box<Value> {
  var value: Value?
}

extension Manifest {
  static func test(
    _ identifier: String = "org.example.frame", reason: String? = "Shows your photos.",
    addReason: String? = "Saves photos.",
    hasScreen: Bool = true, prevents: Bool = false
  ) -> Manifest {
    Manifest(
      identifier: identifier, displayName: "Frame", hasScreen: hasScreen,
      usageDescription: LocalizedText(defaultText: reason, translations: ["de": "Zeigt Ihre Fotos."]),
      addUsageDescription: LocalizedText(defaultText: addReason), preventsAutomaticLimitedAccessAlert: prevents)
  }
}

/// The code of the error that an expression throws.
func code<Value>(_ body: () throws -> Value) -> BrokerError.Code? {
  do {
    _ = try body()
    return nil
  } catch {
    return (error as? BrokerError)?.code
  }
}

extension InvitationAnswers {
  /// The same answer in each role.
  static func all(_ state: Invitation.State) -> Self { [.user: state, .coOwner: state] }
}

/// Co-owners and administrators' rights in a library; nil keeps a setting.
struct Delegation {
  var coOwners: Set<UInt32>?
  var administratorsSee: Bool?
  var administratorsDecide: Bool?
}

extension AdminRights {
  typealias Decided = (Result<(library: LibraryState, receipt: Receipt), BrokerError>) -> Void

  func delegate(_ name: LibraryName, _ delegation: Delegation, completion: @escaping Decided) {
    decide(.delegation, in: name) {
      $0.coOwners = delegation.coOwners ?? $0.coOwners
      $0.administratorsSee = delegation.administratorsSee ?? $0.administratorsSee
      $0.administratorsDecide = delegation.administratorsDecide ?? $0.administratorsDecide
    } completion: {
      completion($0)
    }
  }

  func shareOriginals(_ name: LibraryName, _ shares: Bool, completion: @escaping Decided) {
    decide(.originals, in: name, { $0.sharesOriginals = shares }, completion: completion)
  }

  func allowDeletions(_ name: LibraryName, _ allows: Bool, completion: @escaping Decided) {
    decide(.deletions, in: name, { $0.appsDelete = allows }, completion: completion)
  }
}

// A failed expectation reflects its values. The paths through the objects of a broker are so many
// that this would take minutes.
extension Broker: CustomReflectable {
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension LibraryState: CustomReflectable {
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension GrantState: CustomReflectable {
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
