import Broker
import Delivery
import Indexer
import PhotoModel
import PluginHost
import PluginKit
import UnixSocket

final class PluginStorage: LibraryStorage {
  private let plugin: any StoragePlugin
  let pins: FolderPins

  init(_ plugin: any StoragePlugin, _ pins: FolderPins) {
    self.plugin = plugin
    self.pins = pins
  }

  func facts() throws(StorageFailure) -> StorageDescription {
    let facts = try translated { () throws(PluginFailure) in try plugin.facts() }
    return StorageDescription(
      root: facts.root, changeDetection: facts.changeDetection.rawValue, notice: facts.notice,
      cacheBytes: Int(facts.cacheBytes),
      readsRanges: facts.readsRanges, takesAdditions: facts.takesAdditions,
      takesDeletions: facts.takesDeletions, ignoredNames: facts.ignoredNames)
  }

  func scan(_ folders: [StorageFolder]?, _ progress: @Sendable (Int) -> Void) throws(StorageFailure) -> StorageScan {
    let found = try translated { () throws(PluginFailure) in try plugin.enumerate(folders) { progress($0) } }
    return StorageScan(
      items: found.items.map { ScannedItem($0) }, unnamed: found.unnamed, leftOut: found.leftOut,
      unreadable: found.unreadable, volumes: found.volumes, refused: found.refused)
  }

  func waitForChanges(_ timeout: Duration) throws(StorageFailure) -> StorageNews {
    let milliseconds = Int(timeout.components.seconds) * 1_000
    return try translated { () throws(PluginFailure) in try plugin.waitForChanges(milliseconds: milliseconds) }
  }

  /// Timeout of one transfer. The reader of the pipe ends a stalled one sooner.
  private static let transferDeadline = Duration.seconds(6 * 3_600)

  func read(_ locator: String, contentVersion: String, from offset: Int64, length: Int64?, into pipe: Int32)
    throws(StorageFailure)
  {
    try translated { () throws(PluginFailure) in
      try plugin.read(
        locator: locator, contentVersion: contentVersion, from: offset, length: length, into: pipe,
        deadline: Self.transferDeadline)
    }
  }

  func withdraw(_ locator: String, identityHint: String, size: Int64) throws(StorageFailure) {
    try translated { () throws(PluginFailure) in
      try plugin.withdraw(locator: locator, identityHint: identityHint, size: size)
    }
  }

  func trash(_ file: ResourceRecord, with others: [ResourceRecord]?, size: Int64) throws(StorageFailure) {
    var known = KnownFile(file)
    known.others = others?.map(\.locator)
    try translated { () throws(PluginFailure) in try plugin.trash(locator: file.locator, known: known, size: size) }
  }

  func restore(_ file: ResourceRecord, size: Int64) throws(StorageFailure) {
    try translated { () throws(PluginFailure) in
      try plugin.restore(locator: file.locator, known: KnownFile(file), size: size)
    }
  }

  func findTrashed(_ file: ResourceRecord) throws(StorageFailure) -> String {
    try translated { () throws(PluginFailure) in
      try plugin.findTrashed(locator: file.locator, known: KnownFile(file))
    }
  }

  func add(_ copy: SealedCopy, name: String, folder: String?) throws(StorageFailure) -> ScannedItem {
    let contents = try opened(copy)
    let number = contents.number
    let item = try translated { () throws(PluginFailure) in
      try plugin.add(name: name, contents: number, size: Int64(copy.byteCount), folder: folder)
    }
    contents.close()
    return ScannedItem(item)
  }

  func stage(_ copy: SealedCopy) throws(StorageFailure) -> StagedFile {
    let contents = try opened(copy)
    let number = contents.number
    let staged = try translated { () throws(PluginFailure) in
      try plugin.stage(contents: number, size: Int64(copy.byteCount))
    }
    contents.close()
    return staged
  }

  func publish(_ file: StagedFile, name: String) throws(StorageFailure) -> ScannedItem {
    ScannedItem(try translated { () throws(PluginFailure) in try plugin.publish(file, name: name) })
  }

  func discard(_ file: StagedFile) throws(StorageFailure) {
    try translated { () throws(PluginFailure) in try plugin.discard(file) }
  }

  private func opened(_ copy: SealedCopy) throws(StorageFailure) -> FileDescriptor {
    do throws(UnixSocketError) { return try copy.opened() } catch {
      throw StorageFailure(code: .failed, message: "\(error)")
    }
  }

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
    self.init(code: code, message: failure.message)
  }
}

extension ScannedItem {
  init(_ item: StorageItem) {
    self.init(primary: File(item.primary), others: item.others.map { File($0) }, source: item.source)
  }
}

extension ScannedItem.File {
  init(_ file: ItemFile) {
    self.init(
      role: file.role, locator: file.locator, filename: file.filename, size: file.size,
      contentVersion: file.contentVersion,
      identityHint: file.identityHint, modified: file.modified)
  }
}
