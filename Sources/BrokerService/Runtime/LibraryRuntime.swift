import Broker
import Delivery

/// The parts of one library at run time. Libraries share no storage process, media worker, copy or
/// thread, so that no fault or load of one affects another (R128, R129).
final class LibraryRuntime {
  let library: LibraryState
  let workers: LibraryWorkers
  let status: LibraryStatus
  let opened: OpenedStorage
  let trash: TrashService
  let scanner: Scanner
  let policies: AlbumPolicyService
  let views: ViewRecorder
  let queries: QueryService
  let keeper: CatalogueKeeper
  let bytes: ByteService
  let pictures: PictureService
  let cloud: CloudNames
  let uploads: UploadReceiver
  let creation: CreationService

  init(library: LibraryState, core: ServiceCore) {
    self.library = library
    workers = LibraryWorkers(of: library.record.name, on: core.loop, log: core.log)
    status = LibraryStatus(of: library, broker: core.broker, log: core.log)
    opened = OpenedStorage(
      of: library, broker: core.broker, factory: core.factory, configuration: core.configuration,
      copies: DiskCopies(folder: core.secrets.copies(of: library.record.name), digest: LibraryFiles.digest),
      shares: core.shares, workers: workers, status: status)
    trash = TrashService(of: library, store: core.store, opened: opened, workers: workers, status: status)
    views = ViewRecorder(of: library, broker: core.broker, workers: workers)
    queries = QueryService(of: library, workers: workers)
    keeper = CatalogueKeeper(of: library, store: core.store, workers: workers)
    policies = AlbumPolicyService(
      of: library, broker: core.broker, factory: core.factory, workers: workers, status: status)
    weak var rescanning: Scanner?
    let leftovers = Leftovers(of: library, opened: opened, workers: workers) { rescanning?.rescan() }
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
    uploads = UploadReceiver(
      of: library, uploading: core.comingBytes, shares: core.shares, bytes: bytes, opened: opened, workers: workers)
    creation = CreationService(
      of: library, broker: core.broker, store: core.store, environment: core.environment, opened: opened,
      workers: workers, scanner: scanner, leftovers: leftovers)
  }

  func stop() {
    workers.stop()
    library.additions.abandonAll()
    policies.stop()
    uploads.stop()
    creation.stop()
    cloud.stop()
    bytes.stop()
    scanner.stop()
    opened.stop()
    status.tellWatchers()
  }
}

/// Carries values of the loop's thread through closures that run on that thread again.
final class LoopConfined<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
