import Broker
import Catalogue
import Cleaning
import Cryptography
import Delivery
import Limits
import Macaroons
import Monitor
import PhotoModel

/// One library's files, for workers: their source, and the cached copies.
final class LibraryFiles: Sendable {
  /// A copy belongs to one app and one state of one file. If apps shared copies, the duration of a
  /// read would reveal another app's reads.
  struct Key: Hashable, Sendable {
    let app: AppIdentifier
    let asset: AssetNumber
    let locator: String
    let contentVersion: String
    /// The facts that the copy does not have.
    var withheld: WithheldFacts = []
  }

  /// Most bytes and copies cached for one library. Each copy costs a descriptor.
  static let cacheBytes = 256 << 20
  static let cacheEntries = 256

  /// Most cached bytes of parts of large remote files.
  static let keptPartBytes = 4 * ServiceLimits.partBytes
  /// Lengths of the parts in which a large remote file is fetched, in bytes. The shortest equals the
  /// longest piece that one call reads.
  static let partLengths = [1, 2, 4, 8, 16].map { ServiceLimits.partBytes / $0 }

  let source: FileSource
  let cache: SealedCopyCache<Key>
  let parts: SealedCopyCache<Key>
  /// The owner's share of the memory for copies on their behalf.
  let account: AllowanceOfUser

  /// Copies of remote files on disk; nil for local files.
  private let disk: DiskCopies?
  private let cleaner: WorkerCleaner
  /// Plans of large files, which are read in pieces. They are dropped all together.
  private let plans = Monitor<[Key: CleaningPlan]>([:])
  private static let keptPlans = 32

  init(
    source: FileSource, disk: DiskCopies? = nil, cleaner: WorkerCleaner, of owner: UInt32, _ shares: LibraryShares
  ) {
    self.source = source
    self.cleaner = cleaner
    self.disk = disk
    cache = SealedCopyCache(
      byteLimit: Self.cacheBytes, entryLimit: Self.cacheEntries, leastCost: shares.leastKept, memory: shares.kept,
      user: owner)
    parts = SealedCopyCache(
      byteLimit: Self.keptPartBytes, entryLimit: Self.cacheEntries, leastCost: shares.leastKept, memory: shares.kept,
      user: owner)
    account = AllowanceOfUser(shares.copying, user: owner)
  }

  @Sendable static func digest(_ bytes: UnsafeRawBufferPointer) throws(DeliveryError) -> [UInt8] {
    do throws(CryptographyError) { return try SHA256.digest(of: Span(_unsafeBytes: bytes)).bytes } catch {
      throw .notHashed
    }
  }

  static func key(_ reader: ByteRecipient, _ asset: AssetNumber, _ resource: ResourceRecord) -> Key {
    Key(
      app: reader.app, asset: asset, locator: resource.locator, contentVersion: resource.contentVersion,
      withheld: reader.withheld)
  }

  /// Blocks, so it is called on a worker only.
  /// - Parameters:
  /// - size: Listed size in bytes.
  /// - digest: Known digest, if any.
  /// - transfer: Gets the number of bytes that arrived, and cancels.
  /// - Throws: `readerGone` if it was cancelled.
  func copy(_ key: Key, size: Int64, digest: [UInt8]?, _ transfer: Transfer) throws(DeliveryError) -> SealedCopy {
    try make(key, in: cache, transfer) { () throws(DeliveryError) in
      guard let planner = planner(without: key.withheld, transfer) else {
        return try wholeCopy(key, size, digest, transfer)
      }
      // The copy on disk is the whole file.
      guard disk != nil else { return try fetch(key, size, digest, transfer, cleaned: planner) }
      return try wholeCopy(key, size, digest, transfer).cleaned(planner, isWanted: { transfer.isWanted })
    }
  }

  /// Nil if nothing is withheld.
  func planner(without withheld: WithheldFacts, _ transfer: Transfer) -> SealedCopy.Planner? {
    guard !withheld.isEmpty else { return nil }
    return { [cleaner] file throws(DeliveryError) in
      try cleaner.plan(of: file, without: withheld) { transfer.isWanted }
    }
  }

  private func wholeCopy(_ key: Key, _ size: Int64, _ digest: [UInt8]?, _ transfer: Transfer) throws(DeliveryError)
    -> SealedCopy
  {
    guard let disk, let name = Self.name(onDisk: key) else { return try fetch(key, size, digest, transfer) }
    if let kept = disk.copy(name, limitBytes: ServiceLimits.openedBytes) {
      _ = transfer.note(kept.byteCount)
      return kept
    }
    let age = disk.age
    let copy = try fetch(key, size, digest, transfer)
    disk.keep(copy, name, since: age)
    return copy
  }

  /// The plan of a large file for its pieces; nil if nothing is withheld.
  func plan(of file: FileInPlace, _ key: Key, _ transfer: Transfer) throws(DeliveryError) -> CleaningPlan? {
    guard !key.withheld.isEmpty else { return nil }
    if let known = plans.withLock({ $0[key] }) { return known }
    let plan = try file.lend { descriptor throws(DeliveryError) in
      try cleaner.plan(of: descriptor, without: key.withheld) { transfer.isWanted }
    }
    plans.withLock {
      if $0.count >= Self.keptPlans { $0 = [:] }
      $0[key] = plan
    }
    return plan
  }

  /// Bytes of the largest file that this source can serve.
  var largestServed: Int64 {
    Int64(source.isFar && !source.readsRanges ? ServiceLimits.openedBytes : ServiceLimits.resourceBytes)
  }

  /// Keys of cached copies and running copies, in no order.
  func keys(where matches: (Key) -> Bool) -> [Key] { cache.keys(where: matches) + parts.keys(where: matches) }

  /// Drops cached copies; running ones will not be cached.
  func forget(where matches: (Key) -> Bool) {
    cache.remove(where: matches)
    parts.remove(where: matches)
  }

  /// The cached copy, or a new one, unless the transfer was cancelled. A waiter makes the copy
  /// itself if the transfer that it waited for was cancelled.
  func make(
    _ key: Key, in cache: SealedCopyCache<Key>, _ transfer: Transfer, _ body: () throws(DeliveryError) -> SealedCopy
  ) throws(DeliveryError) -> SealedCopy {
    while true {
      guard transfer.isWanted else { throw .readerGone }
      do throws(DeliveryError) {
        return try cache.copy(for: key, isWanted: { transfer.isWanted }, make: body)
      } catch {
        guard error.code == .readerGone, transfer.isWanted else { throw error }
      }
    }
  }

  private func fetch(
    _ key: Key, _ size: Int64, _ digest: [UInt8]?, _ transfer: Transfer, cleaned planner: SealedCopy.Planner? = nil
  ) throws(DeliveryError) -> SealedCopy {
    try source.copy(
      key.locator, contentVersion: key.contentVersion, size: size, digest: digest,
      limitBytes: ServiceLimits.openedBytes, cleaned: planner,
      progress: { transfer.note($0) })
  }

  /// Whether another file has taken a resource's place. Blocks, so it is called on a worker only.
  /// - Throws: If that is unknown.
  func isReplaced(_ resource: ResourceRecord) throws(DeliveryError) -> Bool {
    do throws(DeliveryError) {
      return try source.isReplaced(
        resource.locator, contentVersion: resource.contentVersion, size: resource.size, digest: resource.digest,
        limitBytes: ServiceLimits.openedBytes)
    } catch {
      guard error.code == .notFound else { throw error }
      return false
    }
  }

  /// Whether a resource's place is empty; false if that is unknown, as for remote files. Blocks, so
  /// it is called on a worker only.
  func isFree(_ resource: ResourceRecord) -> Bool { source.isFree(resource.locator) }

  /// Whether a resource is in its place and unchanged. Blocks, so it is called on a worker only.
  func isThere(_ resource: ResourceRecord) -> Bool {
    let isReplaced = try? source.isReplaced(
      resource.locator, contentVersion: resource.contentVersion, size: resource.size, digest: resource.digest,
      limitBytes: ServiceLimits.openedBytes)
    return isReplaced == false && resource.size > 0
  }

  /// An app's copies form a group, which is erased when its access changes.
  private static func name(onDisk key: Key) -> DiskCopies.Key? {
    let text = "\(key.asset.rawValue) \(key.contentVersion.utf8.count) \(key.contentVersion)\(key.locator)"
    guard let digest = try? SHA256.digest(of: Array(text.utf8)).bytes else { return nil }
    return DiskCopies.Key(group: key.app.description, item: key.asset.rawValue, digest: digest)
  }
}
