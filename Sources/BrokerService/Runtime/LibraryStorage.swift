import Broker
import Delivery
import Indexer
import PhotoModel
import PluginHost
import PluginKit

/// A library's storage as the service uses it: the plugin behind it runs in a process of its own. Every call blocks and
/// belongs on a worker.
protocol LibraryStorage: AnyObject, Sendable {
  /// The folders that it is held to.
  var pins: FolderPins { get }
  /// What the backend says of itself.
  func facts() throws(StorageFailure) -> StorageDescription
  /// Everything that is there. `progress` is told how many items have been seen.
  /// - Parameter folders: Only what is in these, as ``waitForChanges(_:)`` named them and their like; nil: everything.
  func scan(_ folders: [StorageFolder]?, _ progress: @Sendable (Int) -> Void) throws(StorageFailure) -> StorageScan
  /// Waits until something may have changed, at most this long.
  func waitForChanges(_ timeout: Duration) throws(StorageFailure) -> StorageNews
  /// Writes a file's bytes into a pipe, from an offset to its end or, where it reads ranges, as
  /// many as are asked for; only where there is no root. Ends with an error where the pipe is
  /// closed before.
  func read(_ locator: String, contentVersion: String, from offset: Int64, length: Int64?, into pipe: Int32)
    throws(StorageFailure)
  /// Moves a photo's files into the backend's trash; `notFound` where another file has the place of its first one.
  /// - Parameters:
  ///   - others: Those beside the first one, in its folder; nil: those that the backend lists beside it.
  ///   - size: Bytes of all of them: the more, the longer it may take.
  func trash(_ file: ResourceRecord, with others: [ResourceRecord]?, size: Int64) throws(StorageFailure)
  /// Brings an item's files back from the backend's trash, to their place or beside it; `notFound`
  /// where it does not have them.
  /// - Parameter size: As for ``trash(_:with:size:)``.
  func restore(_ file: ResourceRecord, size: Int64) throws(StorageFailure)
  /// Adds a file of this name.
  /// - Parameter folder: The name of a folder of its own, by which the file is known before the
  ///   answer comes; nil: none.
  func add(_ copy: SealedCopy, name: String, folder: String?) throws(StorageFailure) -> ScannedItem
  /// Holds a new file without a name; `unsupported` where it does not do that: it is added then.
  func stage(_ copy: SealedCopy) throws(StorageFailure) -> StagedFile
  /// Gives a staged file its name.
  func publish(_ file: StagedFile, name: String) throws(StorageFailure) -> ScannedItem
  /// Takes a staged file away.
  func discard(_ file: StagedFile) throws(StorageFailure)
  /// Moves a published file into the backend's trash, with nothing that lies beside it; `notFound`
  /// where another file is in its place, `unsupported` of a storage that stages nothing.
  func withdraw(_ locator: String, identityHint: String, size: Int64) throws(StorageFailure)
  /// Ends the processes behind it, but those that are reading something: they end with that. Does not block.
  func retire()
  /// Ends the process behind it.
  func stop()
}

struct StorageDescription: Sendable {
  /// Files are opened by the broker below this folder. Nil: their bytes are asked for.
  var root: String?
  /// `watch` or `rescan`.
  var changeDetection: String
  /// What the owner should know, for instance that watches are exhausted.
  var notice: String?
  /// Bytes of what is read that may be kept on disk.
  var cacheBytes = 0
  /// Whether some bytes of a file can be asked for.
  var readsRanges = false
  /// Whether it takes nothing and changes nothing.
  var isReadOnly = false
}

struct StorageScan: Sendable {
  var items: [ScannedItem]
  /// Files that could not be used.
  var skipped: Int
  /// Folders that could not be read, with all below them.
  var unreadable: [String] = []
  /// What the storage lies on; empty where it does not say.
  var volumes: [StorageVolume] = []
  /// Items that broke the protocol's limits; counted as skipped.
  var refused = RefusedItems()
}

/// Why the backend did not do it.
struct StorageFailure: Error, Sendable, Equatable {
  enum Code: Sendable { case offline, notFound, readOnly, noSpace, unsupported, failed }
  var code: Code
  /// Prefixed with the plugin's name.
  var message: String
  /// Why, where the code does not say it; with what its words are about.
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
