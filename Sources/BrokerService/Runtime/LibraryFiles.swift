import Broker
import Catalogue
import Cryptography
import Delivery
import Limits
import PhotoModel

/// One library's bytes, as workers reach them: where they are, and the copies that are kept.
final class LibraryFiles: Sendable {
  /// One copy belongs to one app's reading of one state of one file; sharing it between apps would
  /// let one app's reading show in another's time.
  struct Key: Hashable, Sendable {
    let app: AppIdentifier
    let asset: AssetNumber
    let locator: String
    let contentVersion: String
  }

  /// Bytes and copies kept in one library. Each copy costs the daemon a descriptor.
  static let cacheBytes = 256 << 20
  static let cacheEntries = 256

  /// Bytes of parts of large far files that are kept in one library.
  static let keptPartBytes = 4 * ServiceLimits.partBytes
  /// How long parts can be. The shortest are as long as the longest piece.
  static let partLengths = [1, 2, 4, 8, 16].map { ServiceLimits.partBytes / $0 }

  let source: FileSource
  let cache: SealedCopyCache<Key>
  let parts: SealedCopyCache<Key>
  /// The owner's part of the memory for what is copied on their behalf.
  let account: AllowanceOfUser

  /// What came from afar, on disk; nil where files are near.
  private let disk: DiskCopies?

  /// - Parameters:
  ///   - shares: What all libraries have in common.
  init(source: FileSource, disk: DiskCopies? = nil, of owner: UInt32, _ shares: LibraryShares) {
    self.source = source
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

  static func key(_ app: AppIdentifier, _ asset: AssetNumber, _ resource: ResourceRecord) -> Key {
    Key(app: app, asset: asset, locator: resource.locator, contentVersion: resource.contentVersion)
  }

  /// Blocks: on a worker only.
  /// - Parameters:
  ///   - size: Bytes, as they were listed.
  ///   - digest: Of the bytes, where it is known.
  ///   - transfer: Told how many bytes have come from afar; ends it where it is cancelled.
  /// - Throws: `readerGone` where it was cancelled.
  func copy(_ key: Key, size: Int64, digest: [UInt8]?, _ transfer: Transfer) throws(DeliveryError) -> SealedCopy {
    try make(key, in: cache, transfer) { () throws(DeliveryError) in
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
  }

  /// Bytes of the largest file that can be served from where these are.
  var largestServed: Int64 {
    Int64(source.isFar && !source.readsRanges ? ServiceLimits.openedBytes : ServiceLimits.resourceBytes)
  }

  /// Keys of what is kept or being made, in no order.
  func keys(where matches: (Key) -> Bool) -> [Key] { cache.keys(where: matches) + parts.keys(where: matches) }

  /// Forgets what is kept in memory, and keeps nothing that is being made.
  func forget(where matches: (Key) -> Bool) {
    cache.remove(where: matches)
    parts.remove(where: matches)
  }

  /// What is kept, or what is made now; nothing is begun that nobody wants any more. Who waited for
  /// what another one made, and that one gave it up, makes it.
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

  private func fetch(_ key: Key, _ size: Int64, _ digest: [UInt8]?, _ transfer: Transfer) throws(DeliveryError)
    -> SealedCopy
  {
    try source.copy(
      key.locator, contentVersion: key.contentVersion, size: size, digest: digest,
      limitBytes: ServiceLimits.openedBytes,
      progress: { transfer.note($0) })
  }

  /// Whether a resource's place holds another file by now, which is none of the asset's. Blocks: on a worker only.
  /// - Throws: where that cannot be seen.
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

  /// Whether nothing lies in a resource's place; false where that cannot be seen, as of far files.
  /// Blocks: on a worker only.
  func isFree(_ resource: ResourceRecord) -> Bool { source.isFree(resource.locator) }

  /// Whether a resource is in its place, as it was listed. Blocks: on a worker only.
  func isThere(_ resource: ResourceRecord) -> Bool {
    let isReplaced = try? source.isReplaced(
      resource.locator, contentVersion: resource.contentVersion, size: resource.size, digest: resource.digest,
      limitBytes: ServiceLimits.openedBytes)
    return isReplaced == false && resource.size > 0
  }

  /// An app's copies are a group: they go with what it may read.
  private static func name(onDisk key: Key) -> DiskCopies.Key? {
    let text = "\(key.asset.rawValue) \(key.contentVersion.utf8.count) \(key.contentVersion)\(key.locator)"
    guard let digest = try? SHA256.digest(of: Array(text.utf8)).bytes else { return nil }
    return DiskCopies.Key(group: key.app.description, item: key.asset.rawValue, digest: digest)
  }
}
