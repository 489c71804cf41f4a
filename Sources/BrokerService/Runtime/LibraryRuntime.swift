import Broker
import Catalogue
import Delivery
import EventLoop
import Glibc
import Indexer
import Monitor
import PhotoModel

/// One library's storage process, media worker, copies and threads. Libraries share none of these,
/// so that no fault or load of one affects another (R128, R129).
final class LibraryRuntime {
  let library: LibraryState
  unowned let core: ServiceCore
  let workers: LibraryWorkers
  let status: LibraryStatus
  let opened: OpenedStorage
  let trash: TrashService
  let leftovers: Leftovers
  let scanner: Scanner
  /// Queue for reads of descriptors.
  private(set) var takingOver = FairTurns(limit: LibraryWorkers.Kind.receive.threads)
  /// Queue for requests that write new assets into the storage.
  private(set) var storing = FairTurns(limit: storingRequests)
  private(set) var changing = FairTurns(limit: changeRequests)
  var incoming: [AppIdentifier: IncomingTurns] = [:]
  let policies: AlbumPolicyService
  let views: ViewRecorder
  let queries: QueryService
  let keeper: CatalogueKeeper
  let bytes: ByteService
  let pictures: PictureService
  let cloud: CloudNames
  /// Most requests that write into the storage at a time.
  static let storingRequests = 8
  /// Most change requests that wait for a commit.
  static let changeRequests = 4

  init(library: LibraryState, core: ServiceCore) {
    self.library = library
    self.core = core
    workers = LibraryWorkers(of: library.record.name, on: core.loop, log: core.log)
    status = LibraryStatus(of: library, broker: core.broker, log: core.log)
    opened = OpenedStorage(
      of: library, broker: core.broker, factory: core.factory, configuration: core.configuration,
      copies: DiskCopies(folder: core.copiesFolder(of: library.record.name), digest: LibraryFiles.digest),
      shares: core.shares, workers: workers, status: status)
    trash = TrashService(of: library, store: core.store, opened: opened, workers: workers, status: status)
    views = ViewRecorder(of: library, broker: core.broker, workers: workers)
    queries = QueryService(of: library, workers: workers)
    keeper = CatalogueKeeper(of: library, store: core.store, workers: workers)
    policies = AlbumPolicyService(
      of: library, broker: core.broker, factory: core.factory, workers: workers, status: status)
    weak var rescanning: Scanner?
    leftovers = Leftovers(of: library, opened: opened, workers: workers) { rescanning?.rescan() }
    scanner = Scanner(
      of: library, broker: core.broker, store: core.store, environment: core.environment, notices: core.notices,
      opened: opened, workers: workers, status: status, trash: trash, leftovers: leftovers)
    rescanning = scanner
    bytes = ByteService(
      of: library, broker: core.broker, store: core.store, shares: core.shares, opened: opened, workers: workers,
      scanner: scanner)
    pictures = PictureService(of: bytes, shares: core.shares, opened: opened, workers: workers)
    cloud = CloudNames(
      of: library, store: core.store, factory: core.factory,
      digests: DigestService(of: library, store: core.store, bytes: bytes, opened: opened, workers: workers),
      workers: workers, status: status)
  }

  func stop() {
    workers.stop()
    library.abandonAdditions()
    policies.stop()
    takingOver = FairTurns(limit: LibraryWorkers.Kind.receive.threads)
    storing = FairTurns(limit: Self.storingRequests)
    changing = FairTurns(limit: Self.changeRequests)
    incoming = [:]
    cloud.stop()
    bytes.stop()
    scanner.stop()
    opened.stop()
    status.tellWatchers()
  }
}

/// Carries values of the loop's thread through closures that run on that thread again.
final class Box<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
