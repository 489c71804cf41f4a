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

  init(library: LibraryState, core: ServiceCore, shares: LibraryShares) {
    self.library = library
    workers = LibraryWorkers(of: library.record.name, on: core.loop, log: core.log)
    status = LibraryStatus(of: library, broker: core.broker, log: core.log)
    let context = LibraryContext(
      library: library, broker: core.broker, store: core.store, environment: core.environment, factory: core.factory,
      shares: shares, workers: workers, status: status)
    opened = OpenedStorage(
      context, configuration: core.configuration,
      copies: DiskCopies(folder: core.secrets.copies(of: library.record.name), digest: LibraryFiles.digest))
    trash = TrashService(context, opened: opened)
    views = ViewRecorder(context)
    queries = QueryService(context)
    keeper = CatalogueKeeper(context)
    policies = AlbumPolicyService(context)
    weak var rescanning: Scanner?
    let leftovers = Leftovers(context, opened: opened) { rescanning?.rescan() }
    scanner = Scanner(context, notices: core.notices, opened: opened, trash: trash, leftovers: leftovers)
    rescanning = scanner
    bytes = ByteService(context, opened: opened, scanner: scanner)
    pictures = PictureService(context, bytes: bytes, opened: opened)
    cloud = CloudNames(context, digests: DigestService(context, bytes: bytes, opened: opened))
    uploads = UploadReceiver(context, bytes: bytes, opened: opened)
    creation = CreationService(context, opened: opened, scanner: scanner, leftovers: leftovers)
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
