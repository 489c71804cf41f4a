import Broker
import Delivery
import Indexer
import Monitor
import PhotoModel
import PluginHost
import PluginKit

/// One library's storage with its files, the media worker, and the zone of dates.
final class OpenedStorage: LibraryService {
  /// Nil until it is open, and after it was closed.
  private(set) var storage: PluginStorage?
  private(set) var files: LibraryFiles?
  private(set) var media: any LibraryMedia
  /// Zone of dates without an offset.
  var zone: ZoneRules
  /// Names of the storage's secret options that have a value.
  var credentials: [String] = []
  private(set) var changeDetection = "rescan"
  /// Patterns for names that the storage leaves out.
  private(set) var ignoredNames: [String] = []
  /// Number of storages that were closed. Late results of a closed one are ignored.
  private(set) var age = 0
  /// Copies of remote files that apps read.
  let copies: DiskCopies
  let allowedPlaces: AllowedPlaces
  let context: LibraryContext
  private let ownFolders: [String]
  private let cleaner: WorkerCleaner

  init(_ context: LibraryContext, configuration: Configuration, copies: DiskCopies) {
    self.context = context
    allowedPlaces = configuration.allowedPlaces
    ownFolders = configuration.ownFolders
    self.copies = copies
    media = context.factory.media(for: context.library.record)
    cleaner = context.factory.cleaner()
    zone = .fixed(minutes: context.library.record.zoneOffsetMinutes)
  }

  private struct Opened: Sendable {
    var storage: PluginStorage
    var facts: StorageFacts
    var files: LibraryFiles
    var credentials: [String]
    var zone: ZoneRules
  }

  /// Opens the storage, unless it runs and its folder is in place.
  /// - Parameter completion: Gets nil if the storage was closed meanwhile.
  func open(_ completion: @escaping (Result<Void, StorageFailure>?) -> Void) {
    let record = library.record
    let factory = LoopConfined(factory)
    let (allowedPlaces, closed) = (allowedPlaces, ownFolders)
    if storage == nil { workers.returnMemory() }
    let running = storage
    let age = age
    let copies = copies
    let wasSeen = !broker.libraryNotes.volumes(of: record.name).isEmpty
    // Erases copies of grants that were revoked shortly before the broker stopped.
    let grants = broker.grants(in: record.name).filter { [.authorized, .limited].contains($0.record.status) }
    let keepers = Set(grants.map { $0.record.key.app.description } + [AppIdentifier(high: 0, low: 0).description])
    let (shares, cleaner) = (shares, cleaner)
    workers.attempt(.index) { () throws(StorageFailure) -> Opened in
      try allowedPlaces.checkPaths([record.options], of: record, wasSeen: wasSeen)
      let secrets = try factory.value.credentials.read(record.name)
      // The running storage's pinned folder may be gone for good, for instance after its disk got
      // another number. It touches nothing until then.
      let storage =
        if let running, running.pins.areInPlace { running } else {
          try factory.value.storage(for: record, secrets: secrets)
        }
      // Watching begins before the first scan, which covers all earlier changes. The second call
      // is for a storage that first finds its old watch invalid. After a timeout it is left out,
      // because another would tell nothing more.
      let began = MonotonicTime.now
      if (try? storage.waitForChanges(.zero)) != .nothing, !began.advanced(by: .seconds(5)).hasPassed {
        _ = try? storage.waitForChanges(.zero)
      }
      let facts = try storage.facts()
      let credentials = secrets.keys.sorted()
      let places = factory.value.places(of: record)
      let source = try allowedPlaces.files(
        of: record, facts, storage, closed: closed, places: places, wasSeen: wasSeen)
      let isFar = facts.root == nil && facts.cacheBytes > 0
      copies.open(limitBytes: isFar ? Int(facts.cacheBytes) : 0, keeping: keepers)
      let files = LibraryFiles(
        source: source, disk: isFar ? copies : nil, cleaner: cleaner, of: record.owner, shares)
      return Opened(
        storage: storage, facts: facts, files: files, credentials: credentials, zone: ZoneFile.rules(of: record))
    } then: { [self] result in
      switch result {
      case .failure(let failure): completion(age == self.age ? .failure(failure) : nil)
      case .success(let opened):
        guard !workers.isStopped, age == self.age else {
          opened.storage.stop()
          return completion(nil)
        }
        if let former = storage, former !== opened.storage {
          self.age += 1
          former.retire()
        }
        storage = opened.storage
        files = opened.files
        credentials = opened.credentials
        zone = opened.zone
        if !ZoneFile.knowsPlaces {
          workers.log.notice("time zones of photos' places are unknown; install libgweather-4-common and tzdata")
        }
        notice(opened.facts)
        completion(.success(()))
      }
    }
  }

  /// Starts the media worker if it has been installed meanwhile.
  func takeUpMediaWorker() {
    if media.factsVersion == 0 { media = factory.media(for: library.record) }
  }

  func assetBuilder(now: Timestamp) -> AssetBuilder {
    AssetBuilder(zone: zone, now: now, offsetAtPlace: { ZoneFile.places?.offsetMinutes(at: $0, local: $1) })
  }

  /// Adopts the storage's change detection and its notice, which may change while it runs.
  func notice(_ facts: StorageFacts) {
    changeDetection = facts.changeDetection.rawValue
    ignoredNames = facts.ignoredNames
    broker.promptService.note(refusedByStorage: facts.refused, in: library)
    status.storage = facts.notice.map { Reason(.storageSays, $0) }
  }

  /// Checks for a dry run that the storage is there and takes changes. It does not check for room,
  /// because repeated dry runs would reveal other users' additions.
  /// - Parameters:
  ///   - isEnough: whether it takes the changes in question; by default, whether it takes any.
  ///   - error: Converts the storage's failure.
  func checkThatStorageChanges(
    isEnough: @escaping @Sendable (StorageFacts) -> Bool = { $0.takesAdditions || $0.takesDeletions },
    error: @escaping (StorageFailure) -> BrokerError = BrokerError.init(storage:),
    _ completion: @escaping Completion<Void>
  ) {
    let completion = workers.answered(completion)
    guard let storage else { return completion(.failure(.offline)) }
    workers.run(.read) { () -> StorageFailure? in
      do throws(StorageFailure) {
        guard try !isEnough(storage.facts()) else { return nil }
        return StorageFailure(.readOnly, "The library's storage can only be read.")
      } catch { return error }
    } then: { failure in
      completion(failure.map { .failure(error($0)) } ?? .success(()))
    }
  }

  // MARK: Closing

  /// Closes the storage, whose running reads are completed.
  func retire() {
    age += 1
    storage?.retire()
    storage = nil
  }

  /// Closes the storage, and ends its running reads.
  func close() {
    age += 1
    let former = storage
    storage = nil
    _ = DetachedThread.start { former?.stop() }
  }

  /// Lets go of the folder. It would keep a disk from being unmounted, and would still mean the old
  /// disk after another was mounted.
  func dropFiles() {
    files?.forget { _ in true }
    files = nil
  }

  func stop() {
    let (storage, media, cleaner) = (storage, media, cleaner)
    // Ending a process can take a moment, and nobody waits for it.
    _ = DetachedThread.start {
      storage?.stop()
      media.stop()
      cleaner.stop()
    }
    files?.forget { _ in true }
    copies.close()
  }
}
