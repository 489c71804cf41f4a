import Broker
import Delivery
import Indexer
import Macaroons
import PhotoModel
import PluginHost
import PluginKit

/// A library's storage. Its plugin runs in a process of its own. Every call blocks and belongs on a
/// worker.
protocol LibraryStorage: AnyObject, Sendable {
  var pins: FolderPins { get }
  func facts() throws(StorageFailure) -> StorageDescription
  /// Lists all items. `progress` gets the number of items so far.
  /// - Parameter folders: Only items in these folders, as from ``waitForChanges(_:)``; nil: all.
  func scan(_ folders: [StorageFolder]?, _ progress: @Sendable (Int) -> Void) throws(StorageFailure) -> StorageScan
  /// Waits for a change, up to a timeout.
  func waitForChanges(_ timeout: Duration) throws(StorageFailure) -> StorageNews
  /// Writes a file's bytes into a pipe, from an offset to the end or, with range reads, up to a
  /// length. Only for storages without a root. Fails if the pipe is closed early.
  func read(_ locator: String, contentVersion: String, from offset: Int64, length: Int64?, into pipe: Int32)
    throws(StorageFailure)
  /// Moves a photo's files into the backend's trash; `notFound` if another file has taken the first
  /// one's place.
  /// - Parameters:
  /// - others: Files beside the first one, in its folder; nil: those that the backend lists beside
  ///   it.
  /// - size: Bytes of all of them, which extend the timeout.
  func trash(_ file: ResourceRecord, with others: [ResourceRecord]?, size: Int64) throws(StorageFailure)
  /// Restores an item's files from the backend's trash, to their place or beside it; `notFound` if
  /// it lacks them.
  /// - Parameter size: As in ``trash(_:with:size:)``.
  func restore(_ file: ResourceRecord, size: Int64) throws(StorageFailure)
  /// The present locator of a trashed item's first file; `unsupported` if the storage does not show
  /// its trash.
  func findTrashed(_ file: ResourceRecord) throws(StorageFailure) -> String
  /// Adds a file of this name.
  /// - Parameter folder: Name of a new folder for it, which identifies the file even without an
  ///   answer; nil: none.
  func add(_ copy: SealedCopy, name: String, folder: String?) throws(StorageFailure) -> ScannedItem
  /// Stores a new file without a name; `unsupported` if the storage cannot, and files are added
  /// instead.
  func stage(_ copy: SealedCopy) throws(StorageFailure) -> StagedFile
  func publish(_ file: StagedFile, name: String) throws(StorageFailure) -> ScannedItem
  func discard(_ file: StagedFile) throws(StorageFailure)
  /// Moves a published file into the backend's trash, alone; `notFound` if another file is in its
  /// place, `unsupported` for storages without staging.
  func withdraw(_ locator: String, identityHint: String, size: Int64) throws(StorageFailure)
  /// Ends the storage's processes as soon as their running reads are done. Does not block.
  func retire()
  func stop()
}

struct StorageDescription: Sendable {
  /// The folder below which the broker opens files itself. Nil: it reads their bytes from the
  /// storage.
  var root: String?
  /// `watch` or `rescan`.
  var changeDetection: String
  /// A notice for the owner, for instance that watches are exhausted.
  var notice: String?
  /// Most bytes of copies on disk.
  var cacheBytes = 0
  /// Whether ranges of a file can be read.
  var readsRanges = false
  var takesAdditions = true
  /// Whether files anywhere in it can be trashed, and not only added ones.
  var takesDeletions = true
  /// Patterns for names that the storage leaves out.
  var ignoredNames: [String] = []

  /// The changes of apps that it takes none of.
  var refused: Verbs { (takesAdditions ? Verbs() : .add).union(takesDeletions ? [] : .delete) }
}

struct StorageScan: Sendable {
  var items: [ScannedItem]
  /// Number of unusable files that the storage does not name.
  var unnamed = 0
  /// Unusable files and folders, with the causes.
  var leftOut: [LeftOutFile] = []
  /// Unreadable folders, with all below them.
  var unreadable: [String] = []
  /// The storage's volumes; empty if it does not name any.
  var volumes: [StorageVolume] = []
  /// Items that broke the protocol's limits.
  var refused = RefusedItems()
}

struct StorageFailure: Error, Sendable, Equatable {
  enum Code: Sendable { case offline, notFound, readOnly, noSpace, unsupported, failed }
  var code: Code
  /// Prefixed with the plugin's name.
  var message: String
  /// A more exact reason than the code, with its values.
  var why: Reason.Code?
  var values: [String: String] = [:]

  var reason: Reason { Reason(why ?? code.reason, message, values) }
}

extension StorageFailure.Code {
  var reason: Reason.Code {
    switch self {
    case .offline: .storageOffline
    case .notFound: .storageNotFound
    case .readOnly: .storageReadOnly
    case .noSpace: .storageFull
    case .unsupported: .storageUnsupported
    case .failed: .storageFailed
    }
  }
}
