import Broker
import Catalogue
import Cryptography
import Delivery
import PhotoModel

/// One library's bytes, as workers reach them: where they are, and the copies that are kept.
final class LibraryFiles: Sendable {
  /// One copy belongs to one app's reading of one state of one file; sharing it between apps would let one app's reading
  /// show in another's time.
  struct Key: Hashable, Sendable {
    let app: AppIdentifier
    let asset: AssetNumber
    let locator: String
    let contentVersion: String
  }

  /// Bytes and copies kept in one library. Each copy costs the daemon a descriptor.
  static let cacheBytes = 256 << 20
  static let cacheEntries = 256
  /// What one resource may hold to be handed over as a copy; larger ones are streamed.
  static let copyLimitBytes = 1 << 30

  let source: FileSource
  let cache = SealedCopyCache<Key>(byteLimit: cacheBytes, entryLimit: cacheEntries)

  /// What came from afar, on disk; nil where files are near.
  private let disk: DiskCopies?

  init(source: FileSource, disk: DiskCopies? = nil) {
    self.source = source
    self.disk = disk
  }

  static let digest: @Sendable (UnsafeRawBufferPointer) -> [UInt8] = { (try? SHA256.digest(of: Span(_unsafeBytes: $0)).bytes) ?? [] }

  static func key(_ app: AppIdentifier, _ asset: AssetNumber, _ resource: ResourceRecord) -> Key {
    Key(app: app, asset: asset, locator: resource.locator, contentVersion: resource.contentVersion)
  }

  /// Blocks: on a worker only.
  /// - Parameter progress: Told how many bytes have come from afar; false ends it.
  func copy(_ key: Key, progress: @escaping (Int) -> Bool = { _ in true }) throws(DeliveryError) -> SealedCopy {
    try cache.copy(for: key) { () throws(DeliveryError) in
      guard let disk, let name = Self.name(onDisk: key) else { return try fetch(key, progress) }
      if let kept = disk.copy(name, limitBytes: Self.copyLimitBytes) {
        _ = progress(kept.byteCount)
        return kept
      }
      let age = disk.age
      let copy = try fetch(key, progress)
      disk.keep(copy, name, since: age)
      return copy
    }
  }

  private func fetch(_ key: Key, _ progress: @escaping (Int) -> Bool) throws(DeliveryError) -> SealedCopy {
    try source.copy(key.locator, contentVersion: key.contentVersion, limitBytes: Self.copyLimitBytes, progress: progress)
  }

  /// An app's copies are a group: they go with what it may read.
  private static func name(onDisk key: Key) -> DiskCopies.Key? {
    let text = "\(key.asset.rawValue) \(key.contentVersion.utf8.count) \(key.contentVersion)\(key.locator)"
    guard let digest = try? SHA256.digest(of: Array(text.utf8)).bytes else { return nil }
    return DiskCopies.Key(group: key.app.description, digest: digest)
  }
}
