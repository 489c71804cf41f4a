import Broker
import Delivery
import Indexer
import PhotoModel
import PluginHost
import PluginKit
import UnixSocket

/// A library's storage, whose plugin runs in a process of its own or inside of the daemon. Every call
/// but `retire` and `stop` blocks and belongs on a worker.
final class PluginStorage: Sendable {
  private let plugin: any StoragePlugin
  let pins: FolderPins

  init(_ plugin: any StoragePlugin, _ pins: FolderPins) {
    self.plugin = plugin
    self.pins = pins
  }

  func facts() throws(StorageFailure) -> StorageFacts {
    try translated { () throws(PluginFailure) in try plugin.facts() }
  }

  /// Lists all items. `progress` gets the number of items so far.
  /// - Parameter folders: Only items in these folders, as from ``waitForChanges(_:)``; nil: all.
  func scan(_ folders: [StorageFolder]?, _ progress: @Sendable (Int) -> Void) throws(StorageFailure) -> StorageListing {
    try translated { () throws(PluginFailure) in try plugin.enumerate(folders) { progress($0) } }
  }

  /// Waits for a change, up to a timeout.
  func waitForChanges(_ timeout: Duration) throws(StorageFailure) -> StorageNews {
    let milliseconds = Int(timeout.components.seconds) * 1_000
    return try translated { () throws(PluginFailure) in try plugin.waitForChanges(milliseconds: milliseconds) }
  }

  /// Timeout of one transfer. The reader of the pipe ends a stalled one sooner.
  private static let transferDeadline = Duration.seconds(6 * 3_600)

  /// Writes a file's bytes into a pipe, from an offset to the end or, with range reads, up to a
  /// length. Only for storages without a root. Fails if the pipe is closed early.
  func read(_ locator: String, contentVersion: String, from offset: Int64, length: Int64?, into pipe: Int32)
    throws(StorageFailure)
  {
    try translated { () throws(PluginFailure) in
      try plugin.read(
        locator: locator, contentVersion: contentVersion, from: offset, length: length, into: pipe,
        deadline: Self.transferDeadline)
    }
  }

  /// Moves a published file into the backend's trash, alone; `notFound` if another file is in its
  /// place, `unsupported` for storages without staging.
  func withdraw(_ locator: String, identityHint: String, size: Int64) throws(StorageFailure) {
    try translated { () throws(PluginFailure) in
      try plugin.withdraw(locator: locator, identityHint: identityHint, size: size)
    }
  }

  /// Moves a photo's files into the backend's trash; `notFound` if another file has taken the first
  /// one's place.
  /// - Parameters:
  /// - others: Files beside the first one, in its folder; nil: those that the backend lists beside
  ///   it.
  /// - size: Bytes of all of them, which extend the timeout.
  func trash(_ file: ResourceRecord, with others: [ResourceRecord]?, size: Int64) throws(StorageFailure) {
    var known = KnownFile(file)
    known.others = others?.map(\.locator)
    try translated { () throws(PluginFailure) in try plugin.trash(locator: file.locator, known: known, size: size) }
  }

  /// Restores an item's files from the backend's trash, to their place or beside it; `notFound` if
  /// it lacks them.
  /// - Parameter size: As in ``trash(_:with:size:)``.
  func restore(_ file: ResourceRecord, size: Int64) throws(StorageFailure) {
    try translated { () throws(PluginFailure) in
      try plugin.restore(locator: file.locator, known: KnownFile(file), size: size)
    }
  }

  /// The present locator of a trashed item's first file; `unsupported` if the storage does not show
  /// its trash.
  func findTrashed(_ file: ResourceRecord) throws(StorageFailure) -> String {
    try translated { () throws(PluginFailure) in
      try plugin.findTrashed(locator: file.locator, known: KnownFile(file))
    }
  }

  /// Adds a file of this name.
  /// - Parameter folder: Name of a new folder for it, which identifies the file even without an
  ///   answer; nil: none.
  func add(_ copy: SealedCopy, name: String, folder: String?) throws(StorageFailure) -> StorageItem {
    let contents = try opened(copy)
    let number = contents.number
    let item = try translated { () throws(PluginFailure) in
      try plugin.add(name: name, contents: number, size: Int64(copy.byteCount), folder: folder)
    }
    contents.close()
    return item
  }

  /// Stores a new file without a name; `unsupported` if the storage cannot, and files are added
  /// instead.
  func stage(_ copy: SealedCopy) throws(StorageFailure) -> StagedFile {
    let contents = try opened(copy)
    let number = contents.number
    let staged = try translated { () throws(PluginFailure) in
      try plugin.stage(contents: number, size: Int64(copy.byteCount))
    }
    contents.close()
    return staged
  }

  func publish(_ file: StagedFile, name: String) throws(StorageFailure) -> StorageItem {
    try translated { () throws(PluginFailure) in try plugin.publish(file, name: name) }
  }

  func discard(_ file: StagedFile) throws(StorageFailure) {
    try translated { () throws(PluginFailure) in try plugin.discard(file) }
  }

  private func opened(_ copy: SealedCopy) throws(StorageFailure) -> FileDescriptor {
    do throws(UnixSocketError) { return try copy.opened() } catch {
      throw StorageFailure(.failed, "\(error)")
    }
  }

  /// Ends the storage's processes as soon as their running reads are done. Does not block.
  func retire() { plugin.retire() }

  func stop() { plugin.stop() }

  private func translated<R>(_ body: () throws(PluginFailure) -> R) throws(StorageFailure) -> R {
    do { return try body() } catch { throw StorageFailure(error) }
  }
}

extension KnownFile {
  fileprivate init(_ file: ResourceRecord) {
    self.init(contentVersion: file.contentVersion, identityHint: file.identityHint)
  }
}

extension StorageFailure {
  init(_ failure: PluginFailure) {
    let code: Code =
      switch failure.code {
      case .offline: .offline
      case .notFound: .notFound
      case .readOnly: .readOnly
      case .noSpace: .noSpace
      case .unsupported, .invalidOption: .unsupported
      case .failed: .failed
      }
    self.init(code, failure.message)
  }
}
